// Slow connections, on which parallel parts would all time out. Parts here are so small that each has a timeout of a minute.
import { IV_BYTES } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { createDownloadRig } from '../../testing/download-rig.ts';
import { CHUNK_BYTES, createUploadRig, randomBytes } from '../../testing/rigs.ts';
import { slowDown } from '../../testing/slow-connection.ts';

const PARTS = 10;
const STORED_BYTES = CHUNK_BYTES + IV_BYTES + 16;
const content = randomBytes(PARTS * CHUNK_BYTES);

/** Uploads over a connection on which a single part takes so many seconds. */
async function upload(secondsPerPart: number, contents = [content]) {
  const { server, clock, engine, upload: start } = createUploadRig({ lanes: 5 });
  const connection = slowDown(server, clock, STORED_BYTES / secondsPerPart);
  await start(...contents);
  return { phase: engine.getState().phase, ...connection, seconds: clock.nowMs() / 1000 };
}

describe('an upload', () => {
  it('uses all its lanes on a fast connection', async () => {
    expect(await upload(1)).toMatchObject({ phase: 'done', most: 5, started: PARTS });
  });

  it('uses no more lanes than finish in time', async () => {
    const { seconds, ...rest } = await upload(20);
    expect(rest).toEqual({ phase: 'done', most: 2, started: PARTS });
    expect(seconds).toBeLessThan(1.1 * PARTS * 20);
  });

  it('loses only its first parts if the connection is fast enough for one part at a time', async () => {
    const { seconds, ...rest } = await upload(40);
    expect(rest).toEqual({ phase: 'done', most: 2, started: PARTS + 2 });
    expect(seconds).toBeLessThan(60 + 1.1 * PARTS * 40);
  });

  it('uses the maximum timeout if a part has timed out that was sent without others', async () => {
    const { seconds, ...rest } = await upload(500);
    expect(rest).toEqual({ phase: 'done', most: 2, started: PARTS + 3 });
    expect(seconds).toBeLessThan(120 + 1.1 * PARTS * 500);
  });

  it('measures a slow connection once, not again for each file', async () => {
    expect(await upload(500, [content, content, content])).toMatchObject({ phase: 'done', started: 3 * PARTS + 3 });
  });

  it('does not start many large parts because small ones were fast', async () => {
    const small = Array.from({ length: 20 }, () => randomBytes(1));
    expect(await upload(20, [...small, content])).toMatchObject({ phase: 'done', started: PARTS + 20 });
  });
});

describe('a download', () => {
  it('completes on any connection that makes progress, and fetches nothing twice', async () => {
    const { server, clock, engine, download } = await createDownloadRig(content);
    const connection = slowDown(server, clock, STORED_BYTES / 500);
    await download();
    expect(engine.getState().phase).toBe('complete');
    expect(connection).toEqual({ started: PARTS, most: 3 });
  });
});
