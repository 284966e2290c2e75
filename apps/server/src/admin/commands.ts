// The table of commands. A new one is a line.
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { dismissMessage, messages } from './messages.ts';
import { dismissReport, reports } from './reports.ts';
import { stats } from './stats.ts';
import { sweep } from './sweep.ts';
import { takeDown } from './take-down.ts';

export const commands: Record<string, Command> = {
  stats,
  'take-down': takeDown,
  reports,
  'dismiss-report': dismissReport,
  messages,
  'dismiss-message': dismissMessage,
  sweep,
  doctor,
};
