// Looks at a file away from the page, so that a large picture or text does not stop it. What it returns is moved, not copied.
import type { Looked } from '../../services.ts';
import { lookAt } from '../previews/look-at.ts';
import { serveCalls } from './serve-calls.ts';

function movedOf(shown: Looked): Transferable[] {
  switch (shown.kind) {
    case 'picture':
      return [shown.bytes.buffer, shown.bitmap];
    case 'text':
      return [shown.bytes.buffer];
    case 'other':
      return [];
    default:
      return shown satisfies never;
  }
}

serveCalls<Uint8Array<ArrayBuffer>, Looked>(self, lookAt, movedOf);
