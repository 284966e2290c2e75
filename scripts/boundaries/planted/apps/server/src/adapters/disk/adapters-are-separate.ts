import '../sql/store.ts';
