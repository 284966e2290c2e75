// `npm run test:long` sets LONG_TESTS. `npm test` runs the same tests with less data and fewer repetitions.
export const IS_LONG = process.env['LONG_TESTS'] !== undefined;
