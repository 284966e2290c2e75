import type { ReactNode } from 'react';

export type Leak = ReactNode;
