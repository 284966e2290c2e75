export { clean } from '../../format/src/index.ts';
