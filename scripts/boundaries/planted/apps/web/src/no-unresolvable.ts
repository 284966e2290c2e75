import '@furoshiki/format/src/errors.ts';
