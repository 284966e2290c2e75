import './other-half.ts';
