// What this browser stores for the user: the settings, and in each tab the pages that it has sent. public/theme.js
// reads the theme before the first paint: it is a file of its own, because the content security policy forbids inline
// scripts, and not a module, because modules are deferred.
import type { Settings, SettingsStore, Theme } from '../../services.ts';

const THEME_KEY = 'furoshiki.theme';
const NOTIFICATIONS_KEY = 'furoshiki.notifications';
const KEEPS_SENT_KEY = 'furoshiki.keepsSentList';
const HIDES_NAMES_KEY = 'furoshiki.hidesNames';
const KEY_AS_WORDS_KEY = 'furoshiki.keyAsWords';
/** The list itself, which platform/sent writes. */
export const SENT_KEY = 'furoshiki.sent';

export function createSettings(storage: TextStorage): SettingsStore {
  const listeners = new Set<() => void>();
  let settings: Settings = {
    theme: readTheme(storage.getItem(THEME_KEY)),
    hasNotifications: storage.getItem(NOTIFICATIONS_KEY) === 'on' && permission() === 'granted',
    keepsSentList: keepsSentList(),
    hidesNames: storage.getItem(HIDES_NAMES_KEY) === 'on',
    keyAsWords: storage.getItem(KEY_AS_WORDS_KEY) === 'on',
  };

  function keepsSentList(): boolean {
    return storage.getItem(KEEPS_SENT_KEY) !== 'off';
  }

  function change(changed: Partial<Settings>): void {
    settings = { ...settings, ...changed };
    for (const listener of listeners) listener();
  }

  // Otherwise an upload in another tab would still be added to the list after it was turned off here.
  addEventListener('storage', () => {
    if (settings.keepsSentList !== keepsSentList()) change({ keepsSentList: keepsSentList() });
  });

  return {
    get: () => settings,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setTheme(theme) {
      if (theme === 'system') {
        storage.removeItem(THEME_KEY);
        delete document.documentElement.dataset['theme'];
      } else {
        storage.setItem(THEME_KEY, theme);
        document.documentElement.dataset['theme'] = theme;
      }
      change({ theme });
    },
    async setNotifications(isOn) {
      const isAllowed = isOn && (await requestPermission()) === 'granted';
      storage.setItem(NOTIFICATIONS_KEY, isAllowed ? 'on' : 'off');
      change({ hasNotifications: isAllowed });
      return isAllowed === isOn;
    },
    setKeepsSentList(isOn) {
      if (isOn) storage.removeItem(KEEPS_SENT_KEY);
      else {
        storage.removeItem(SENT_KEY);
        storage.setItem(KEEPS_SENT_KEY, 'off');
      }
      change({ keepsSentList: isOn });
    },
    setHidesNames(isOn) {
      if (isOn) storage.setItem(HIDES_NAMES_KEY, 'on');
      else storage.removeItem(HIDES_NAMES_KEY);
      change({ hidesNames: isOn });
    },
    setKeyAsWords(isOn) {
      if (isOn) storage.setItem(KEY_AS_WORDS_KEY, 'on');
      else storage.removeItem(KEY_AS_WORDS_KEY);
      change({ keyAsWords: isOn });
    },
  };
}

function readTheme(stored: string | null): Theme {
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Some browsers have no notifications, or only for installed apps. */
function permission(): NotificationPermission {
  return 'Notification' in window ? Notification.permission : 'denied';
}

async function requestPermission(): Promise<NotificationPermission> {
  return permission() === 'default' ? Notification.requestPermission() : permission();
}

const NAME = 'furoshiki.own';

/**
 * Remembers the pages that this tab has sent, so that their sender is recognised after a reload. No keys are stored.
 */
export const ownPages = {
  add(pageId: string): void {
    try {
      sessionStorage.setItem(NAME, `${stored()} ${pageId}`);
    } catch {
      // The browser blocks storage: after a reload the sender sees what a recipient sees.
    }
  },
  has: (pageId: string): boolean => pageId !== '' && stored().split(' ').includes(pageId),
};

function stored(): string {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns localStorage, or a storage in memory if the browser blocks localStorage. */
export function openStorage(): TextStorage {
  try {
    return localStorage;
  } catch {
    const texts = new Map<string, string>();
    return {
      getItem: (name) => texts.get(name) ?? null,
      setItem: (name, text) => void texts.set(name, text),
      removeItem: (name) => void texts.delete(name),
    };
  }
}
