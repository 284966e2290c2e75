// A fault of one part of the service, and the service that it hits.
import type { Environment } from '../process.ts';
import type { Subject } from './subject.ts';

export interface Fault {
  /** Names its row in the table. */
  name: string;
  /** Whether this machine has what it takes. */
  isPossible: boolean;
  /** Prepares a service that works. */
  deploy(): Promise<Deployment>;
}

export interface Deployment extends Switch {
  environment: Environment;
  /** Texts of this machine, and what the table says instead. */
  aliases: Record<string, string>;
  /** Texts that nothing may show. */
  secrets: string[];
  discard(): Promise<void>;
}

/** Switches a fault on and off. */
export interface Switch {
  arrange(subject: Subject): Promise<void> | void;
  restore(): Promise<void> | void;
}
