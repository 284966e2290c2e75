// Subscribes a component to the user's settings.
import { useSyncExternalStore } from 'react';
import { type Settings, type SettingsStore, useServices } from '../../services.ts';

/** Prerendered pages show these, because they are written before a user's settings are known. */
const DEFAULTS: Settings = { theme: 'system', hasNotifications: false, keepsSentList: true, hidesNames: false };

export function useSettings(): [Settings, SettingsStore] {
  const { settings } = useServices();
  return [useSyncExternalStore(settings.subscribe, settings.get, () => DEFAULTS), settings];
}
