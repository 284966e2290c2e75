// Limits of a message to the operator, and the check of an email address.

export const CONTACT_LENGTH = { name: 100, email: 254, message: 5000 } as const;
export const MAX_REPORT_LENGTH = 2000;

// Text, at sign, text, dot, text. The text contains no white space, no invisible characters and no separators of mail
// headers, so that a valid address always names exactly one mailbox.
const TEXT = String.raw`[^\s\p{C}@,;:<>()[\]\\"]+`;
const EMAIL = new RegExp(String.raw`^${TEXT}@${TEXT}\.${TEXT}$`, 'u');

export function isEmailAddress(text: string): boolean {
  return text.length <= CONTACT_LENGTH.email && EMAIL.test(text);
}
