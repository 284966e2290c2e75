// The site: its addresses, its pages, what they may load, and the files of a release.
export * from './headers.ts';
export * from './pages.ts';
export * from './policy.ts';
export * from './release.ts';
export * from './site-map.ts';
