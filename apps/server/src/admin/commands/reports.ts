// reports, dismiss-report: reports of visitors that were not handled yet.
import { type Command, CommandError } from '../command.ts';

/** The oldest reports come first. Dismissing them shows the next ones. */
const SHOWN = 100;

export const reports: Command = {
  argument: '',
  about: 'lists what visitors reported, the oldest first',
  async run({ openMetadata }) {
    const found = await (await openMetadata()).listReports(SHOWN);
    return {
      lines: [
        `reports: ${found.length === SHOWN ? `the oldest ${SHOWN}` : found.length}`,
        ...found.map(
          ({ id, pageId, reason, createdAtMs }) =>
            `${new Date(createdAtMs).toISOString()} report ${id} on page ${pageId}: ${JSON.stringify(reason)}`,
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
