// Turns a failed listen into a start error that names the variables to change.
import { StartError } from '../config/config.ts';

export function listenErrorFor(prefix: '' | 'METRICS_', host: string, port: number) {
  return (cause: NodeJS.ErrnoException): never => {
    if (cause.code === 'EADDRINUSE') throw new StartError(`${prefix}PORT ${port} on ${host} is in use`, { cause });
    const where = `${prefix}HOST ${host}, ${prefix}PORT ${port}`;
    throw new StartError(`cannot listen on ${where} (${cause.code ?? 'unknown'})`, { cause });
  };
}
