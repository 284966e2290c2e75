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

function bash(): string {
  const cases = all.map(([name, spec]) => `    ${name}) words='${namesOf(spec).join(' ')}' ;;`);
  return `# bash completions of furoshiki
_furoshiki() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${all.map(([name]) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _furoshiki furoshiki
`;
}

function zsh(): string {
  const described = all.map(([name, { about }]) => `    '${name}:${quoted(about)}'`);
  const cases = all.map(([name, spec]) => {
    const options = optionsOf(spec).map(
      ([option, { value, about }]) => `'--${option}[${quoted(about)}]${value === undefined ? '' : `:${value}:_files`}'`,
    );
    return `      ${name}) _arguments ${[...options, "'*:file:_files'"].join(' ')} ;;`;
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
_furoshiki "$@"
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
