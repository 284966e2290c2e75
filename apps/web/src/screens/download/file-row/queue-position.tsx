// The position of a waiting file. It changes for all waiting files whenever one of them begins, so only this text is drawn
// then, and not the rows.
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

const Positions = createContext<ReadonlyMap<string, number>>(new Map());

export function QueuePositions({ queue, children }: { queue: readonly string[]; children: ReactNode }) {
  const positions = useMemo(() => new Map(queue.map((id, index) => [id, index + 1])), [queue]);
  return <Positions value={positions}>{children}</Positions>;
}

export function QueuePosition({ id }: { id: string }) {
  const { t } = useTranslation();
  return t('download.queued', { position: useContext(Positions).get(id) });
}
