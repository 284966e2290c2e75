export { clean } from '../../../packages/format/src/index.ts';
