// Every command with its arguments and options. Parsing, help, man page, completions and docs/CLI.md all come from it.
import manifest from '../../package.json' with { type: 'json' };

export interface OptionSpec {
  short?: string;
  /** The name of its value in help. An option without it is a switch. */
  value?: string;
  about: string;
}

export interface CommandSpec {
  /** As in help: `<needed>`, `[optional]`, `…` for several. */
  argument: string;
  maxArguments: number;
  needsArgument: boolean;
  about: string;
  details: string;
  options: Record<string, OptionSpec>;
  examples: readonly string[];
}

const SERVER: OptionSpec = { value: 'url', about: 'The server to use instead of FUROSHIKI_SERVER or the stored one.' };
const JSON_OUTPUT: OptionSpec = { about: 'Print the result as JSON.' };
const KEY_OPTIONS: Record<string, OptionSpec> = {
  'key-file': { value: 'file', about: 'Read the key from a file, or from standard input if it is -.' },
  key: { value: 'key', about: 'The key. Other users of this machine can see it, so prefer --key-file.' },
};

export const GLOBAL_OPTIONS: Record<string, OptionSpec> = {
  quiet: { short: 'q', about: 'Print only the result and errors.' },
  help: { short: 'h', about: 'Show help.' },
};

export const commands = {
  send: {
    argument: '<path…>',
    maxArguments: Number.POSITIVE_INFINITY,
    needsArgument: true,
    about: 'Encrypts and sends files and folders, and prints a link and a key.',
    details:
      'The first line is the link, the second line is the key. Send them through two different channels. Use - to read from standard input. If the upload is interrupted, run the same command to resume it.',
    options: {
      days: { short: 'd', value: '1|2|3', about: 'Days to keep the files. The default is 1.' },
      downloads: { short: 'n', value: 'number', about: 'Downloads allowed per file, 1 to 100. The default is 5.' },
      title: { value: 'text', about: 'A title for the recipient. The server cannot read it.' },
      message: { short: 'm', value: 'text', about: 'A message for the recipient. The server cannot read it.' },
      'hide-names': { about: 'Hide names, types and exact sizes from the server.' },
      name: { value: 'name', about: 'The name of the file that is read from standard input.' },
      'follow-links': { about: 'Follow symbolic links in folders. Without it, they are left out.' },
      'link-with-key': { about: 'Print one link that contains the key.' },
      qr: { about: 'Also draw the link as a QR code.' },
      json: JSON_OUTPUT,
      server: SERVER,
    },
    examples: [
      'furoshiki send report.pdf photos/ --days 2 --downloads 3',
      'tar c project | furoshiki send - --name project.tar',
    ],
  },
  receive: {
    argument: '[link]',
    maxArguments: 1,
    needsArgument: false,
    about: 'Downloads, decrypts and verifies files.',
    details:
      'Asks for the link if you don’t give it, and for the key unless the link contains it. With a key, only encrypted files are accepted. Without one, it asks before downloading files that aren’t encrypted. Several files go into a new folder. A file gets its name only once it’s complete. If the download is interrupted, run the same command to resume it.',
    options: {
      ...KEY_OPTIONS,
      output: {
        short: 'o',
        value: 'folder',
        about: 'Where to save, instead of a new folder. - is standard output, for one file.',
      },
      file: { value: 'number', about: 'Only this file, by its number in `furoshiki info` with the key.' },
      force: {
        short: 'f',
        about: 'Replace files with the same name. With -o -, also show a file that isn’t text in a terminal.',
      },
      yes: {
        short: 'y',
        about: 'Download files that aren’t encrypted without asking. Never applies if there is a key.',
      },
      json: JSON_OUTPUT,
    },
    examples: [
      'furoshiki receive https://files.example.org/download/8kCD…',
      'furoshiki receive <link> --key-file key.txt -o - | tar x',
    ],
  },
  info: {
    argument: '<link>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Lists the files behind a link. Does not use up a download.',
    details: 'Without the key, it shows what the server knows.',
    options: { ...KEY_OPTIONS, json: JSON_OUTPUT },
    examples: ['furoshiki info https://files.example.org/download/8kCD…'],
  },
  delete: {
    argument: '<link>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Deletes the files behind a link, for everyone.',
    details: 'Anyone who has the link can do this. It needs no key.',
    options: { yes: { short: 'y', about: 'Don’t ask for confirmation.' } },
    examples: ['furoshiki delete https://files.example.org/download/8kCD… --yes'],
  },
  verify: {
    argument: '<url>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Checks that a server sends the unchanged web app to browsers.',
    details:
      'Requests every page, script, style and other file of the web app, and compares all of them with those of this version, and their headers too, also those of the API. Exit code 5 means that something differs. The check sees what the server sends to it now: a server can send other pages to one visitor, or at another time.',
    options: {
      release: {
        value: 'version',
        about: 'The version that the server must have. Each client knows only its own version.',
      },
      source: { value: 'folder', about: 'Build this clone and compare with it. Runs code from that folder.' },
      connect: {
        value: 'origin',
        about: 'An object store or analytics service that pages may connect to. Can be set several times.',
      },
      json: JSON_OUTPUT,
    },
    examples: [
      'furoshiki verify https://files.example.org',
      'furoshiki verify <url> --connect https://s3.example.org --json',
    ],
  },
  server: {
    argument: '[url]',
    maxArguments: 1,
    needsArgument: false,
    about: 'Shows or sets the default server.',
    details: 'It is stored in ~/.config/furoshiki, or below XDG_CONFIG_HOME.',
    options: {},
    examples: ['furoshiki server https://files.example.org'],
  },
  completions: {
    argument: '<bash|zsh|fish>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Prints completions for a shell.',
    details: 'Save them where your shell looks for completions, or load them when it starts.',
    options: {},
    examples: ['source <(furoshiki completions bash)'],
  },
} satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof commands;

export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, 'Done.'],
  [1, 'Failed.'],
  [2, 'Wrong usage.'],
  [3, 'Wrong key.'],
  [4, 'The files are gone, or have reached their download limit.'],
  [
    5,
    'The server does not send what it should: not what the sender sent, or a different web app (`furoshiki verify`).',
  ],
  [130, 'Cancelled with Ctrl-C. 129 and 143: ended by SIGHUP or SIGTERM.'],
];

export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['FUROSHIKI_SERVER', 'The server that files are sent to.'],
  [
    'FUROSHIKI_UPLOAD_TOKEN',
    'The upload token of a private server: of FUROSHIKI_SERVER if set, or else of the stored one. No other server gets it.',
  ],
  ['LANG, LC_ALL, LC_MESSAGES', 'The language of messages.'],
  ['NO_COLOR', 'If set, no colours are used.'],
  ['XDG_CONFIG_HOME, XDG_STATE_HOME', 'Where settings and resume data are stored.'],
];

export const VERSION = manifest.version;
