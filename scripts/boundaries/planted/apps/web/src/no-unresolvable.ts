import '@furoshiki/core/src/errors.ts';
