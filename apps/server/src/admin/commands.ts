// The table of commands. A new command is one line here.
import type { Command } from './command.ts';
import { backup, restore } from './commands/backup.ts';
import { doctor } from './doctor/doctor.ts';
import { manifest } from './commands/manifest.ts';
import { dismissMessage, messages } from './commands/messages.ts';
import { dismissReport, reports } from './commands/reports.ts';
import { stats } from './commands/stats.ts';
import { sweep } from './commands/sweep.ts';
import { takeDown } from './commands/take-down.ts';

export const commands: Record<string, Command> = {
  stats,
  'take-down': takeDown,
  reports,
  'dismiss-report': dismissReport,
  messages,
  'dismiss-message': dismissMessage,
  sweep,
  backup,
  restore,
  manifest,
  doctor,
};
