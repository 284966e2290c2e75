// The table of commands. A new one is a line.
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { stats } from './stats.ts';
import { sweep } from './sweep.ts';
import { takeDown } from './take-down.ts';

export const commands: Record<string, Command> = {
  stats,
  'take-down': takeDown,
  sweep,
  doctor,
};
