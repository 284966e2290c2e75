// furoshiki serve, if it cannot start the server: main.ts starts that of the single executable, before anything else is loaded.
import { CliError } from '../errors.ts';
import type { Command } from './command.ts';

export const serve: Command = () => Promise.reject(new CliError('serve.notHere'));
