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

const SERVER: OptionSpec = {
  value: 'url',
  about: 'The server to use. The default is FUROSHIKI_SERVER, or the stored one.',
};
const JSON_OUTPUT: OptionSpec = { about: 'Print the result as JSON.' };
const KEY_OPTIONS: Record<string, OptionSpec> = {
  'key-file': { value: 'file', about: 'Read the key from a file, or from standard input if it is -.' },
  key: { value: 'key', about: 'The key. Other users of this machine can see it, so prefer --key-file.' },
};

/** Of every command that connects to a server. */
const CONNECTION_OPTIONS: Record<string, OptionSpec> = {
  timeout: {
    value: 'seconds',
    about: 'Give up after this time without progress. By default, a transfer waits until the server responds again.',
  },
  cacert: {
    value: 'file',
    about: 'Trust the certificates in this file (PEM), and no others. By default, those that Node trusts.',
  },
};

export const GLOBAL_OPTIONS: Record<string, OptionSpec> = {
  quiet: { short: 'q', about: 'Print only the result and errors.' },
  plain: { about: 'Print as in a pipe: no colours, no labels, no lines that change.' },
  help: { short: 'h', about: 'Show help.' },
};

export const commands = {
  send: {
    argument: '<path…>',
    maxArguments: Number.POSITIVE_INFINITY,
    needsArgument: true,
    about: 'Encrypts and sends files and folders, and prints a link and a key.',
    details:
      'Prints the link, then the key, each on its own line. Send them through two different channels. Use - to read from standard input. A folder goes as one archive if a list of its files would lose something, or if there are more than 100 files. If the upload is interrupted, run the same command to resume it.',
    options: {
      days: {
        short: 'd',
        value: '1|2|3',
        about: 'Days to keep the files. The default is that of the server, usually 1.',
      },
      downloads: {
        short: 'n',
        value: 'number',
        about: 'Downloads allowed per file, 1 to 100. The default is that of the server, usually 5.',
      },
      title: { value: 'text', about: 'A title for the recipient. The server can’t read it.' },
      message: { short: 'm', value: 'text', about: 'A message for the recipient. The server can’t read it.' },
      'message-file': { value: 'file', about: 'Read the message from a file, or from standard input if it is -.' },
      'hide-names': { about: 'Hide names, types and exact sizes from the server.' },
      name: { value: 'name', about: 'The name of the file that is read from standard input.' },
      archive: {
        about: 'Send each folder as one archive, which keeps everything in it. It can only be downloaded as a whole.',
      },
      separate: {
        about: 'Send the files of folders one by one: 1,000 at most, without empty ones, links and permissions.',
      },
      'follow-links': { about: 'Follow symbolic links in folders. Without this option, an archive has them as links.' },
      words: { about: 'Make the key of twelve words that are easy to read aloud, in your language or in English.' },
      'link-with-key': { about: 'Print one link that contains the key.' },
      qr: { about: 'Also draw the link as a QR code.' },
      unlisted: { about: 'Don’t remember this in `furoshiki ls`.' },
      json: JSON_OUTPUT,
      server: SERVER,
      ...CONNECTION_OPTIONS,
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
        about:
          'Where to save. The default is the current folder for one file, and a new folder in it for several. - is standard output, for one file.',
      },
      as: { value: 'name', about: 'Save the file under this name. The default is the name that the sender gave it.' },
      file: { value: 'number', about: 'Receive only this file. `furoshiki info` with the key shows the numbers.' },
      force: {
        short: 'f',
        about: 'Replace files with the same name. With -o -, also show a file that isn’t text in a terminal.',
      },
      links: {
        about:
          'Create the symbolic links of a folder without asking. Without a terminal to ask at, they’re left out. None leads out of its folder.',
      },
      yes: {
        short: 'y',
        about: 'Download files that aren’t encrypted without asking. Never applies if there’s a key.',
      },
      json: JSON_OUTPUT,
      ...CONNECTION_OPTIONS,
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
    about: 'Lists the files behind a link. Doesn’t use up a download.',
    details: 'Without the key, it shows what the server knows.',
    options: { ...KEY_OPTIONS, json: JSON_OUTPUT, ...CONNECTION_OPTIONS },
    examples: ['furoshiki info https://files.example.org/download/8kCD…'],
  },
  delete: {
    argument: '<link>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Deletes the files behind a link, for everyone.',
    details: 'Anyone who has the link can do this. It needs no key.',
    options: {
      yes: { short: 'y', about: 'Don’t ask for confirmation.' },
      json: JSON_OUTPUT,
      ...CONNECTION_OPTIONS,
    },
    examples: ['furoshiki delete https://files.example.org/download/8kCD… --yes'],
  },
  ls: {
    argument: '',
    maxArguments: 0,
    needsArgument: false,
    about: 'Lists what was sent from this machine and has not expired.',
    details:
      'It shows links, not keys, which are not stored. It asks no server: files may have been deleted, or used up.',
    options: {
      forget: { about: 'Delete the list. The files stay on their servers.' },
      json: JSON_OUTPUT,
    },
    examples: ['furoshiki ls --json'],
  },
  verify: {
    argument: '<url>',
    maxArguments: 1,
    needsArgument: true,
    about: 'Checks that a server sends the unchanged web app to browsers.',
    details:
      'Fetches every page, script, style sheet and other file of the web app and compares each one, headers included, with this version. The headers of the API are checked too. Exit code 5 means that something differs. The check only sees what the server sends it now: a server can send other pages to one visitor, or at another time.',
    options: {
      release: {
        value: 'version',
        about: 'The version that the server must run. Each client knows only its own version.',
      },
      source: { value: 'folder', about: 'Build this clone and compare with it. Runs code from that folder.' },
      connect: {
        value: 'origin',
        about: 'An object store or analytics service that pages may connect to. Can be used more than once.',
      },
      browser: {
        value: 'program',
        about:
          'Compare what this installed Chromium or Firefox receives. Give its name or path. It trusts its own certificates, not --cacert.',
      },
      json: JSON_OUTPUT,
      ...CONNECTION_OPTIONS,
    },
    examples: [
      'furoshiki verify https://files.example.org',
      'furoshiki verify https://files.example.org --browser firefox',
      'furoshiki verify <url> --connect https://s3.example.org --json',
    ],
  },
  server: {
    argument: '[url]',
    maxArguments: 1,
    needsArgument: false,
    about: 'Shows or sets the default server.',
    details: 'It’s stored in ~/.config/furoshiki, or under XDG_CONFIG_HOME.',
    options: { forget: { about: 'Remove the stored server.' }, ...CONNECTION_OPTIONS },
    examples: ['furoshiki server https://files.example.org'],
  },
  serve: {
    argument: '',
    maxArguments: 0,
    needsArgument: false,
    about: 'Runs a server of your own. Only in the single executable.',
    details:
      'Serves http://127.0.0.1:3000 with its data in ./data. Settings are environment variables, such as PORT, DATA_DIR and PUBLIC_ORIGIN; docs/OPERATING.md describes all of them. It writes its own files to ~/.cache/furoshiki, once for each version.',
    options: {},
    examples: ['PORT=8080 DATA_DIR=/var/lib/furoshiki furoshiki serve'],
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
  [2, 'Usage error.'],
  [3, 'Wrong key.'],
  [4, 'The files are gone, or have reached their download limit.'],
  [5, 'The server doesn’t send what it should: not what the sender sent, or a different web app (`furoshiki verify`).'],
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
  [
    'HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY',
    'The proxies to use, also in lower case, and the hosts to reach without one. Needs Node 22.21, 24.5 or newer.',
  ],
  ['XDG_CACHE_HOME', 'Where `furoshiki serve` writes its own files. The default is ~/.cache.'],
  [
    'XDG_CONFIG_HOME, XDG_STATE_HOME',
    'Where settings, resume data and the list of sent pages are stored. The defaults are ~/.config and ~/.local/state.',
  ],
];

export const VERSION = manifest.version;
