// Deletes all files of a page, without the engine of the page.
import { asFailure, type Failure } from '@furoshiki/api';
import { runLanes } from '../../concurrency/lanes.ts';
import { call, type CallPorts, neverCancelled } from '../../resilience/retry.ts';

const DELETIONS_AT_ONCE = 4;

/** What is already gone counts as deleted. If a file cannot be deleted, the others are, and then its Failure is thrown. */
export async function deletePage(ports: CallPorts, pageId: string): Promise<void> {
  const signal = neverCancelled();
  const failures: Failure[] = [];
  const unlessGone = (thrown: unknown) => {
    const failure = asFailure(thrown);
    if (failure.code !== 'NOT_FOUND') failures.push(failure);
  };

  const page = await call(ports, 'page', { params: { pageID: pageId } }, signal).catch(unlessGone);
  await runLanes(DELETIONS_AT_ONCE, page?.files ?? [], signal, async ({ id }) => {
    await call(ports, 'deleteFile', { params: { id } }, signal).catch(unlessGone);
  });
  if (failures[0]) throw failures[0];
}
