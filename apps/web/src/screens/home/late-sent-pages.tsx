// Shows the list of sent pages as soon as its code is loaded, after the first paint. If the code cannot be loaded, home
// works without it.
import { useEffect, useState } from 'react';
import { type SentPages, useServices } from '../../services.ts';
import type { SentPagesSection } from './sent-pages.tsx';

interface Loaded {
  sentPages: SentPages;
  Section: typeof SentPagesSection;
}

export function LateSentPages({ language }: { language: string }) {
  const { loadSentPages } = useServices();
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    async function load(): Promise<void> {
      const sentPages = await loadSentPages();
      const { SentPagesSection: Section } = await import('./sent-pages.tsx');
      setLoaded({ sentPages, Section });
    }
    load().catch(() => undefined);
  }, [loadSentPages]);
  return loaded && <loaded.Section sentPages={loaded.sentPages} language={language} />;
}
