// Where this program keeps its settings, and what it must remember between two runs.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createTextFiles, type TextFiles } from './text-files.ts';

const NAME = 'furoshiki';

export interface Folders {
  settings: TextFiles;
  /** Cookie, security token and unconfirmed downloads of one server. */
  ofServer(siteUrl: string): TextFiles;
  /** The journals of uploads. */
  uploads: string;
  /** The checkpoints of downloads. */
  downloads: string;
}

export function createFolders(environment: NodeJS.ProcessEnv): Folders {
  const { XDG_CONFIG_HOME: config, XDG_STATE_HOME: state } = environment;
  const stateFolder = join(state || join(homedir(), '.local', 'state'), NAME);
  return {
    settings: createTextFiles(join(config || join(homedir(), '.config'), NAME)),
    ofServer: (siteUrl) => createTextFiles(join(stateFolder, 'servers', digestOf(siteUrl))),
    uploads: join(stateFolder, 'uploads'),
    downloads: join(stateFolder, 'downloads'),
  };
}

/** A name for a file that says nothing about `text`, at first sight. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
