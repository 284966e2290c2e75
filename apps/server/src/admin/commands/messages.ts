// messages, dismiss-message: messages that were not mailed yet, or that are read here if no mail is configured.
import { type Command, CommandError } from '../command.ts';

const SHOWN = 100;

export const messages: Command = {
  argument: '',
  about: 'lists messages that were not mailed yet, the oldest first',
  async run({ openMetadata }) {
    const found = await (await openMetadata()).listMessages(SHOWN);
    return {
      lines: [
        `messages: ${found.length === SHOWN ? `the oldest ${SHOWN}` : found.length}`,
        ...found.map(
          ({ id, subject, text, createdAtMs, attempts }) =>
            `${new Date(createdAtMs).toISOString()} message ${id} (tried ${attempts} times) ${subject}: ${JSON.stringify(text)}`,
        ),
      ],
      json: found,
    };
  },
};

export const dismissMessage: Command = {
  argument: '<message id>',
  about: 'forgets a message that was read',
  async run({ openMetadata }, id) {
    if (!(await (await openMetadata()).removeMessage(id)))
      throw new CommandError('there is no such message: it was mailed or dismissed before, or the id is wrong');
    return { lines: [`dismissed: ${id}`], json: { id } };
  },
};
