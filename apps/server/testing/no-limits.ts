// For uploads of tests and benchmarks that are not about limits.
import type { ReservationLimits } from '../src/ports/metadata-store.ts';

export const NO_LIMITS: ReservationLimits = {
  storedBytes: Number.MAX_SAFE_INTEGER,
  unsentBytes: Number.MAX_SAFE_INTEGER,
  unsentBytesOfAddress: Number.MAX_SAFE_INTEGER,
  openUploadsOfAddress: Number.MAX_SAFE_INTEGER,
  unsentBytesOfNetwork: Number.MAX_SAFE_INTEGER,
  openUploadsOfNetwork: Number.MAX_SAFE_INTEGER,
  shareOfRest: 1,
  shareOfAddress: 1,
  shareOfNetwork: 1,
  dailyBytesOfAddress: Number.MAX_SAFE_INTEGER,
  dailyRecordBytesOfAddress: Number.MAX_SAFE_INTEGER,
  recordBytesToCome: 0,
};
