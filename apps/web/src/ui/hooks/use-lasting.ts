// Returns whether something has lasted for some time. The screen uses it to hide what ends quickly.
import { useEffect, useState } from 'react';

/** Becomes true after the time, counted only while `isCounting`, and stays true until it is no longer active. */
export function useLasting(isActive: boolean, ms: number, isCounting = isActive): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => (isActive ? () => setHasLasted(false) : undefined), [isActive]);
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setTimeout(() => setHasLasted(true), ms);
    return () => clearTimeout(timer);
  }, [isCounting, ms]);
  return isActive && hasLasted;
}
