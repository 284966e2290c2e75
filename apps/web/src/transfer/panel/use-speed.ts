// Samples the progress of a transfer five times a second.
import { useEffect, useEffectEvent, useState } from 'react';
import { addSample, type Amount, NO_SPEED, type Speed } from '@furoshiki/transfer';

const TICK_MS = 200;

export function useSpeed(loaded: Amount): Speed {
  const [speed, setSpeed] = useState(NO_SPEED);
  const takeSample = useEffectEvent(() =>
    setSpeed((current) => addSample(current, { atMs: performance.now(), ...loaded })),
  );
  useEffect(() => {
    takeSample();
    const timer = setInterval(takeSample, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return speed;
}
