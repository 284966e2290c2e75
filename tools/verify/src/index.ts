// Verify: compares what a server sends to browsers with a release. `furoshiki verify` is the command over it.
export type { Difference, PageNote, What } from './compare.ts';
export { createGetResponse } from './get-response.ts';
export { assertClone, builtRelease, type KnownRelease, ownRelease, ReleaseError } from './known-release.ts';
export type { Verification } from './comparison.ts';
export { BrowserError } from './driven-browser.ts';
export { verifyInBrowser } from './verify-in-browser.ts';
export { LANES, verifySite } from './verify-site.ts';
