// messages, dismiss-message, reports, dismiss-report: what visitors wrote to the operator.
import { type Command, CommandError } from '../command.ts';

const SHOWN_MESSAGES = 100;

/** messages, dismiss-message: messages that were not mailed yet, or that are read here if no mail is configured. */
export const messages: Command = {
  argument: '',
  about: 'lists messages that were not mailed yet, the oldest first',
  async run({ openMetadata }) {
    const found = await (await openMetadata()).listMessages(SHOWN_MESSAGES);
    return {
      lines: [
        `messages: ${found.length === SHOWN_MESSAGES ? `the oldest ${SHOWN_MESSAGES}` : found.length}`,
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

/** The oldest reports come first. Dismissing them shows the next ones. */
const SHOWN_REPORTS = 100;

/** reports, dismiss-report: reports of visitors that were not handled yet. */
export const reports: Command = {
  argument: '',
  about: 'lists what visitors reported, the oldest first',
  async run({ openMetadata }) {
    const found = await (await openMetadata()).listReports(SHOWN_REPORTS);
    return {
      lines: [
        `reports: ${found.length === SHOWN_REPORTS ? `the oldest ${SHOWN_REPORTS}` : found.length}`,
        ...found.map(
          ({ id, pageId, reason, replyTo, createdAtMs }) =>
            `${new Date(createdAtMs).toISOString()} report ${id} on page ${pageId}${replyTo === undefined ? '' : ` from ${replyTo}`}: ${JSON.stringify(reason)}`,
        ),
      ],
      json: found,
    };
  },
};

export const dismissReport: Command = {
  argument: '<report id>',
  about: 'forgets a report that was handled',
  async run({ openMetadata }, id) {
    if (!(await (await openMetadata()).removeReport(id)))
      throw new CommandError('there is no such report: `reports` lists all of them');
    return { lines: [`dismissed: ${id}`], json: { id } };
  },
};
