// The position of a waiting file. It changes for all waiting files whenever one of them begins, so only this text is drawn
// then, and not the rows.
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A long queue moves on several times a second, and drawing a thousand positions takes longer than a download. */
const LONG_QUEUE = 50;
const REFRESH_MS = 2000;

const Positions = createContext<ReadonlyMap<string, number>>(new Map());

export function QueuePositions({ queue, children }: { queue: readonly string[]; children: ReactNode }) {
  const [kept, setKept] = useState(queue);
  const isLong = queue.length > LONG_QUEUE;
  const keep = useEffectEvent(() => setKept(queue));
  useEffect(() => {
    if (!isLong) return undefined;
    keep();
    const timer = setInterval(keep, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isLong]);
  const shown = isLong ? kept : queue;
  const positions = useMemo(() => new Map(shown.map((id, index) => [id, index + 1])), [shown]);
  return <Positions value={positions}>{children}</Positions>;
}

export function QueuePosition({ id }: { id: string }) {
  const { t } = useTranslation();
  const position = useContext(Positions).get(id);
  return position === undefined ? t('home.badge.waiting') : t('download.queued', { position });
}
