// sweep: one round of the sweeper, now.
import { FILES_PER_ROUND } from '../../jobs/sweeper.ts';
import { sweep as sweepOnce } from '../../services/deletion/sweep.ts';
import type { Command } from '../command.ts';

export const sweep: Command = {
  argument: '',
  about: 'clears away what has run out: one round, now',
  async run({ clock, openObjects, openMetadata }) {
    const { objects } = await openObjects();
    const removed = await sweepOnce({ metadata: await openMetadata(), objects, clock }, FILES_PER_ROUND);
    const isMoreWaiting = removed === FILES_PER_ROUND;
    return {
      lines: [`removed: ${removed}`, ...(isMoreWaiting ? ['more is waiting: sweep again'] : [])],
      json: { removed, isMoreWaiting },
    };
  },
};
