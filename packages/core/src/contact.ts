// What a visitor may write to the operator: how long, and what passes for an email address.

export const CONTACT_LENGTH = { name: 100, email: 254, message: 5000 } as const;
export const MAX_REPORT_LENGTH = 2000;

// Text, at sign, text, dot, text. White space, invisible characters and what separates addresses in a mail's header
// are no text of an address: whoever passes this names one mailbox and nothing else.
const TEXT = String.raw`[^\s\p{C}@,;:<>()[\]\\"]+`;
const EMAIL = new RegExp(String.raw`^${TEXT}@${TEXT}\.${TEXT}$`, 'u');

export function isEmailAddress(text: string): boolean {
  return text.length <= CONTACT_LENGTH.email && EMAIL.test(text);
}
