// The sealed format: keys, chunks, pages and the plan of their parts. docs/FORMAT.md describes it; vectors/ has examples.
export * from './archive-paths.ts';
export * from './chunk.ts';
export * from './errors.ts';
export * from './derived-keys.ts';
export * from './folder-archive.ts';
export * from './folder-paths.ts';
export * from './key.ts';
export * from './limits.ts';
export * from './names.ts';
export * from './page.ts';
export * from './parse-key.ts';
export * from './plan.ts';
export * from './primitives.ts';
export * from './word-text.ts';
