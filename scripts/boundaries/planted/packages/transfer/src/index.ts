export { clean } from '../../core/src/index.ts';
