// Subscribes a component to the reader's settings.
import { useSyncExternalStore } from 'react';
import { type Settings, type SettingsStore, useServices } from '../../services.ts';

/** What nobody has changed: so a page is written at build, before it has a reader. */
const UNCHANGED: Settings = { theme: 'system', hasNotifications: false };

export function useSettings(): [Settings, SettingsStore] {
  const { settings } = useServices();
  return [useSyncExternalStore(settings.subscribe, settings.get, () => UNCHANGED), settings];
}
