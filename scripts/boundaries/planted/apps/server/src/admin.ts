import './adapters/sql/store.ts';
