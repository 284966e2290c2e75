// The server or its storage loses an upload that is not complete: the file is begun again.
import { describe, expect, it } from 'vitest';
import { Failure } from '@furoshiki/api';
import { CHUNK_BYTES, createUploadRig, randomBytes, type UploadRig } from '../../testing/rigs.ts';
import type { Operation } from '../../testing/faults.ts';
import { expectUploaded, expectUploadFailed } from '../../testing/outcomes.ts';

const content = randomBytes(3 * CHUNK_BYTES + 5);

/** Each upload that is open at these operations is lost. */
function createLosingRig(isLost: (operation: Operation) => boolean): UploadRig {
  const rig = createUploadRig({
    lanes: 1,
    faultOf(operation) {
      if (isLost(operation))
        for (const [id, upload] of rig.server.uploads) if (!upload.completion) rig.server.uploads.delete(id);
      return undefined;
    },
  });
  return rig;
}

describe.each(['put', 'presignPart', 'completePart', 'uploadStatus', 'completeUpload'] as const)(
  'lost at %s',
  (name) => {
    it('is begun again', async () => {
      const rig = createLosingRig((operation) => operation.name === name && operation.nth === 1);
      await rig.upload(content);
      await expectUploaded(rig, [content]);
      expect(rig.server.counts.get('initUpload')).toBe(2);
    });
  },
);

it('fails if it is lost again and again', async () => {
  const rig = createLosingRig(({ name }) => name === 'completePart');
  await rig.upload(content);
  expectUploadFailed(rig, 'NOT_FOUND');
  expect(rig.server.counts.get('initUpload')).toBe(3);
});

it('is begun again if the storage itself does not know it', async () => {
  const rig = createUploadRig({ lanes: 1 });
  const { put } = rig.server.storage;
  let puts = 0;
  rig.server.storage.put = (...given) => {
    puts += 1;
    return puts === 2 ? Promise.reject(new Failure('STORAGE_ERROR', { status: 404 })) : put(...given);
  };
  await rig.upload(content);
  await expectUploaded(rig, [content]);
  expect([...rig.server.uploads.values()].filter(({ completion }) => !completion)).toEqual([]);
});

it('leaves the other files alone, and keeps the upload that can be resumed', async () => {
  const contents = [randomBytes(5), content, randomBytes(7)];
  const rig = createLosingRig(({ name, nth }) => name === 'completePart' && nth === 3);
  await rig.upload(...contents);
  await expectUploaded(rig, contents);
});
