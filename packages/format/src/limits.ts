// Units, and the limits of a page. Apart from page.ts and plan.ts: the home screen reads these numbers, and must not load
// the schemas and the plan of the parts before its first paint.

export const KB = 1024;
export const MB = 1024 * KB;
export const GB = 1024 * MB;

export const MAX_FILES_PER_PAGE = 1000;
/** A file of a folder has its path as its name. */
export const MAX_FILE_NAME_LENGTH = 1024;
/** The media type of a file. */
export const MAX_CONTENT_TYPE_LENGTH = 255;
/** The title and the message for the recipient, each. */
export const MAX_NOTE_LENGTH = 280;
/** The name that a sender gives for themselves, if someone has asked for files. */
export const MAX_FROM_LENGTH = 100;
