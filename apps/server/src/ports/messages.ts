// Messages and reports for the operator: where they wait, and the mail server that takes them.

/** A mail to the operator, ready to be sent. */
export interface NewMessage {
  id: string;
  subject: string;
  text: string;
  /** The address of the visitor, if a visitor wrote it. */
  replyTo: string | undefined;
  createdAtMs: number;
}

export interface OutboxMessage extends NewMessage {
  /** How often it was claimed. */
  attempts: number;
}

/** Messages to the operator: kept until they are mailed, or until the operator has read them. */
export interface OutboxRecords {
  /** Stores a message that is due at once. */
  addMessage(message: NewMessage): Promise<void>;
  /** Claims up to `limit` due messages. No other caller gets them until the lease ends or they are postponed. */
  claimMessages(nowMs: number, leaseMs: number, limit: number): Promise<OutboxMessage[]>;
  /** Sets when a claimed message is next due. Changes nothing if it was claimed again in the meantime. */
  postponeMessage(claimed: Pick<OutboxMessage, 'id' | 'attempts'>, dueAtMs: number): Promise<void>;
  /** Returns false if there is no such message. */
  removeMessage(id: string): Promise<boolean>;
  /** Lists the oldest messages, due or not. */
  listMessages(limit: number): Promise<OutboxMessage[]>;
  /** Deletes up to `limit` messages that were written before that time. */
  forgetMessages(createdBeforeMs: number, limit: number): Promise<void>;
}

export interface Report {
  id: string;
  pageId: string;
  reason: string;
  /** The address of the visitor, if given. */
  replyTo: string | undefined;
  createdAtMs: number;
}

/** Reports of visitors, kept until the operator has handled them. */
export interface ReportRecords {
  /** Stores the report and the notice together. Returns false if the page does not exist at that time. */
  addReport(report: Report, notice: NewMessage | undefined): Promise<boolean>;
  /** Lists the oldest reports. */
  listReports(limit: number): Promise<Report[]>;
  /** Returns false if there is no such report. */
  removeReport(id: string): Promise<boolean>;
  /** Deletes up to `limit` reports that were written before that time. */
  forgetReports(createdBeforeMs: number, limit: number): Promise<void>;
}

/** The reason is an error code of the connection or of the mail server, never text: text could contain addresses. */
export type Sending = { outcome: 'sent' } | { outcome: 'failed'; reason: string };

export interface Mailer {
  /** Sends one message to the operator, whatever the message contains. It always settles: every step has a timeout. */
  send(message: NewMessage): Promise<Sending>;
}

/** A mailer whose connection can be checked. */
export interface MailServer extends Mailer {
  /** Connects and signs in, and sends no mail. */
  greet(): Promise<Sending>;
}
