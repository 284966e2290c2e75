// Keeps the device awake while a transfer is running.
import { useEffect } from 'react';
import { useServices } from '../services.ts';

export function useKeepAwake(isRunning: boolean): void {
  const { keepAwake } = useServices();
  useEffect(() => (isRunning ? keepAwake() : undefined), [isRunning, keepAwake]);
}
