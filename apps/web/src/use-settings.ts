// Subscribes a component to the reader's settings.
import { useSyncExternalStore } from 'react';
import { type Settings, type SettingsStore, useServices } from './services.ts';

export function useSettings(): [Settings, SettingsStore] {
  const { settings } = useServices();
  return [useSyncExternalStore(settings.subscribe, settings.get), settings];
}
