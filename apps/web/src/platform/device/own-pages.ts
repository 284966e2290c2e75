// Remembers the pages that this tab has sent, so that their sender is recognised after a reload. No keys are stored.

const NAME = 'furoshiki.own';

export const ownPages = {
  add(pageId: string): void {
    try {
      sessionStorage.setItem(NAME, `${stored()} ${pageId}`);
    } catch {
      // The browser blocks storage: after a reload the sender sees what a recipient sees.
    }
  },
  has: (pageId: string): boolean => pageId !== '' && stored().split(' ').includes(pageId),
};

function stored(): string {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}
