// oxlint-disable unicorn/no-empty-file -- it shall have no code
// A service worker that does nothing. It stands for the folder of our own workers, so that their requests are not handed to the
// one that stands for the site: that would copy every part that is sent once more. It has no code, and so nobody asks it.
