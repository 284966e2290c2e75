import 'node:crypto';
