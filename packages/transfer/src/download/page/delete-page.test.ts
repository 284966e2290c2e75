import { Failure } from '@furoshiki/api';
import { expect, it } from 'vitest';
import { createPageRig, PAGE_ID } from '../../../testing/download-rig.ts';
import { always, faultsOn } from '../../../testing/faults.ts';
import { randomBytes } from '../../../testing/rigs.ts';
import { deletePage } from './delete-page.ts';

const contents = [70, 40, 100, 10, 20, 30].map(randomBytes);

it('deletes every file, a few at once', async () => {
  const { ports, server } = await createPageRig(contents);
  let running = 0;
  let most = 0;
  const api: typeof ports.api = {
    ...ports.api,
    async call(name, input, signal) {
      running += 1;
      most = Math.max(most, running);
      return ports.api.call(name, input, signal).finally(() => (running -= 1));
    },
  };
  await deletePage({ ...ports, api }, PAGE_ID);
  expect(server.files.size).toBe(0);
  expect(most).toBe(4);
});

it('is done if the page or some of its files are gone', async () => {
  const { ports, server, files } = await createPageRig(contents);
  const page = await server.api.call('page', { params: { pageID: PAGE_ID } });
  server.files.delete(files[1]?.id ?? '');
  // The page still lists the deleted file, as it was when it was asked.
  const api: typeof ports.api = {
    ...ports.api,
    call: (name, ...rest) => (name === 'page' ? Promise.resolve(page as never) : ports.api.call(name, ...rest)),
  };
  await deletePage({ ...ports, api }, PAGE_ID);
  expect(server.files.size).toBe(0);
  await expect(deletePage(ports, 'page000000000000000009')).resolves.toBeUndefined();
});

it('fails after deleting the others if one file cannot be deleted', async () => {
  const { ports, server, files } = await createPageRig(contents);
  const api: typeof ports.api = {
    ...ports.api,
    async call(name, input, signal) {
      if (name === 'deleteFile' && JSON.stringify(input).includes(files[0]?.id ?? '')) throw new Failure('FORBIDDEN');
      return ports.api.call(name, input, signal);
    },
  };
  await expect(deletePage({ ...ports, api }, PAGE_ID)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect([...server.files.keys()]).toEqual([files[0]?.id]);
});

it('fails if the page cannot be read', async () => {
  const { ports, server } = await createPageRig(contents, {
    faultOf: faultsOn({ page: [undefined, ...always('break')] }),
  });
  await expect(deletePage(ports, PAGE_ID)).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(server.files.size).toBe(contents.length);
});
