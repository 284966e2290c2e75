// Prepares the page that all component tests share: the app's styles, and the parts of index.html that the app reads.
import { afterEach, beforeEach, vi } from 'vitest';
import { currentPath } from '../src/platform/device/site.ts';
import { guardHistory } from '../src/transfer/use-leave-guard.ts';
import { unmountApp } from './render-app.tsx';
import '../src/ui/styles/tokens.css';
import '../src/ui/styles/base.css';

// Before the router is rendered, as in main.tsx.
guardHistory(currentPath);

beforeEach(() => {
  localStorage.clear();
});

afterEach(() => {
  unmountApp();
  vi.useRealTimers();
  vi.restoreAllMocks();
  delete document.documentElement.dataset['theme'];
});
