// take-down: deletes a page or a file at once, while the server runs.
import { Failure } from '@furoshiki/api';
import { takeDown as takeDownFiles } from '../../services/deletion/take-down.ts';
import { type Command, CommandError } from '../command.ts';
import { formatBytes } from '../format-bytes.ts';

export const takeDown: Command = {
  argument: '<page id | file id | link>',
  about: 'deletes all files of a page, or one file, at once',
  async run({ clock, openObjects, openMetadata }, argument) {
    const id = idIn(argument);
    if (id === undefined) throw new CommandError('neither an id nor a link with one');
    const [metadata, { objects }] = [await openMetadata(), await openObjects()];
    const { kind, files } = await takeDownFiles({ metadata, objects, clock }, id).catch((cause: unknown) => {
      if (!(cause instanceof Failure && cause.code === 'NOT_FOUND')) throw cause;
      throw new CommandError('nothing is there: it never existed, has expired or was deleted before', { cause });
    });
    return {
      lines: [
        `${kind}: ${id}`,
        `files deleted: ${files.length}`,
        ...files.map((file) => `deleted: ${file.id} (${formatBytes(file.fileSize)})`),
      ],
      json: { kind, id, files },
    };
  },
};

/** Returns the id itself, or the last id in the path of a link. The fragment of a link holds the key and is ignored. */
function idIn(text: string): string | undefined {
  const path = URL.canParse(text) ? new URL(text).pathname : text;
  return path
    .split('/')
    .toReversed()
    .find((segment) => /^[\w-]{22}$/u.test(segment));
}
