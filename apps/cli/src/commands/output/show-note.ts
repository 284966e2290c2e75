// Shows what the sender has written, and which files are missing.
import { shownName } from '@furoshiki/format';
import { missingCount, type PageState } from '@furoshiki/transfer';
import type { Tools } from '../command.ts';

export function showNote({ terminal, texts }: Tools, state: PageState): void {
  const { title, message } = state.list ?? {};
  if (title !== undefined || message !== undefined) {
    terminal.note(texts.t('receive.from'));
    for (const text of [title, message])
      for (const line of text?.split('\n') ?? []) terminal.note(`  ${shownName(line)}`);
  }
  const missing = missingCount(state) ?? 0;
  if (missing > 0) terminal.note(texts.t('receive.missing', { count: missing }));
}
