// furoshiki completions: prints completions for bash, zsh or fish.
import { CliError, EXIT } from '../errors.ts';
import type { Command } from './command.ts';
import { commands, type CommandSpec, GLOBAL_OPTIONS } from '../args/command-table.ts';

export const completions: Command = async ({ call, terminal }) => {
  const [name = ''] = call.arguments;
  const shell = SHELLS.find((known) => known === name);
  if (!shell) throw new CliError('usage.surplusArgument', { command: call.command, name }, EXIT.usage);
  terminal.print(completionsFor(shell).trimEnd());
  return EXIT.done;
};

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const all = Object.entries<CommandSpec>(commands);
const optionsOf = ({ options }: CommandSpec) => Object.entries({ ...options, ...GLOBAL_OPTIONS });
const namesOf = (spec: CommandSpec) => optionsOf(spec).map(([name]) => `--${name}`);

export function completionsFor(shell: Shell): string {
  return { bash, zsh, fish }[shell]();
}

/** What a value or an argument can be: paths, one of some words, or something that only the user knows. */
function kindOf(value: string): 'paths' | 'other' | readonly string[] {
  const name = value.replaceAll(/[<>[\]…]/gu, '');
  if (name === 'file' || name === 'folder' || name === 'path') return 'paths';
  return name.includes('|') ? name.split('|') : 'other';
}

/** The commands of bash that offer it. Paths are left to bash itself, which quotes those with spaces. */
function inBash(value: string): string {
  const kind = kindOf(value);
  if (kind === 'paths') return 'return';
  return kind === 'other' ? 'compopt +o default; return' : `words='${kind.join(' ')}'`;
}

function bash(): string {
  const cases = all.map(([name, spec]) => {
    const values = optionsOf(spec).flatMap(([option, { short, value }]) =>
      value === undefined ? [] : [`${short === undefined ? '' : `-${short}|`}--${option}) ${inBash(value)} ;;`],
    );
    return `    ${name})
      case $before in
        ${[...values, `*) [[ $word == -* ]] && words='${namesOf(spec).join(' ')}' || { ${inBash(spec.argument)}; } ;;`].join('\n        ')}
      esac ;;`;
  });
  return `# bash completions of furoshiki
_furoshiki() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${all.map(([name]) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _furoshiki furoshiki
`;
}

function inZsh(value: string): string {
  const kind = kindOf(value);
  if (kind === 'paths') return '_files';
  return kind === 'other' ? ' ' : `(${kind.join(' ')})`;
}

function zsh(): string {
  const described = all.map(([name, { about }]) => `    '${name}:${quoted(about)}'`);
  const cases = all.map(([name, spec]) => {
    const options = optionsOf(spec).map(
      ([option, { value, about }]) =>
        `'--${option}[${quoted(about)}]${value === undefined ? '' : `:${value.replaceAll('|', ' ')}:${inZsh(value)}`}'`,
    );
    return `      ${name}) _arguments ${[...options, `'*:argument:${inZsh(spec.argument)}'`].join(' ')} ;;`;
  });
  return `#compdef furoshiki
_furoshiki() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
${cases.join('\n')}
    esac
  fi
}
# As a file of fpath it completes now. If it is sourced, it only says what it completes.
if [ "$funcstack[1]" = _furoshiki ]; then
  _furoshiki "$@"
else
  compdef _furoshiki furoshiki
fi
`;
}

function fish(): string {
  const lines = all.flatMap(([name, spec]) => [
    `complete -c furoshiki -n __fish_use_subcommand -f -a ${name} -d '${quoted(spec.about)}'`,
    ...optionsOf(spec).map(([option, { short, value, about }]) =>
      [
        `complete -c furoshiki -n '__fish_seen_subcommand_from ${name}' -l ${option}`,
        short === undefined ? '' : `-s ${short}`,
        value === undefined ? '' : '-r',
        `-d '${quoted(about)}'`,
      ]
        .filter((word) => word !== '')
        .join(' '),
    ),
  ]);
  return `# fish completions of furoshiki\n${lines.join('\n')}\n`;
}

/** Without the characters that mean something inside of single quotes or brackets. */
function quoted(text: string): string {
  return text.replaceAll(/['[\]:\\]/gu, '');
}
