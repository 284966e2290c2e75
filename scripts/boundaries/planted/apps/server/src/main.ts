import './adapters/sql/store.ts';
import './routes/clean.ts';
