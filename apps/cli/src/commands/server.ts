// furoshiki server: stores the server that files are sent to, forgets it, or shows it.
import { EXIT } from '../errors.ts';
import { parseServer } from '../link.ts';
import { type Command, connect, SERVER_SETTING, serverOf } from './command.ts';

export const server: Command = async (tools) => {
  const { call, folders, terminal, texts } = tools;
  const [given] = call.arguments;
  if (call.isSet('forget')) {
    folders.settings.removeItem(SERVER_SETTING);
    terminal.note(texts.t('server.forgotten'));
    return EXIT.done;
  }
  if (given === undefined) {
    terminal.print(serverOf(tools));
    return EXIT.done;
  }
  const siteUrl = parseServer(given);
  // Stores only an address that works.
  await connect(tools, siteUrl);
  folders.settings.setItem(SERVER_SETTING, `${siteUrl}\n`);
  terminal.note(texts.t('server.saved', { url: siteUrl }));
  return EXIT.done;
};
