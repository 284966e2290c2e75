// Reads off a transfer's bytes five times a second.
import { useEffect, useEffectEvent, useState } from 'react';
import { addSample, NO_SPEED, type Speed } from './speed.ts';

const TICK_MS = 200;

export function useSpeed(loadedBytes: number): Speed {
  const [pace, setPace] = useState(NO_SPEED);
  const readOff = useEffectEvent(() =>
    setPace((current) => addSample(current, { atMs: performance.now(), bytes: loadedBytes })),
  );
  useEffect(() => {
    readOff();
    const timer = setInterval(readOff, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return pace;
}
