// The settings that this browser stores: theme, notifications and the list of what was sent. Also lets the user choose the language.
import { pathInLanguage } from '@furoshiki/site';
import { LANGUAGE_NAMES, languages } from '@furoshiki/texts';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type Settings, type SettingsStore, useServices } from '../services.ts';
import { Choice } from '../ui/choice.tsx';
import { Field, Select } from '../ui/field.tsx';
import styles from './frame.module.css';

export function SettingsPanel({ language, path }: { language: string; path: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [settings, store] = useSettings();
  const [isDenied, setDenied] = useState(false);
  return (
    <div className={styles.settings}>
      <Choice
        label={t('settings.theme')}
        value={settings.theme}
        options={[
          { value: 'system', label: t('settings.system') },
          { value: 'light', label: t('settings.light') },
          { value: 'dark', label: t('settings.dark') },
        ]}
        onChange={store.setTheme}
      />
      <OnOff
        label={t('settings.notifications')}
        isOn={settings.hasNotifications}
        onChange={(isOn) => void store.setNotifications(isOn).then((isDone) => setDenied(!isDone))}
      />
      <p className="hint" aria-live="polite">
        {isDenied ? t('settings.notificationsDenied') : t('settings.notificationsHint')}
      </p>
      <OnOff label={t('sent.heading')} isOn={settings.keepsSentList} onChange={store.setKeepsSentList} />
      <p className="hint">{t('settings.sentHint')}</p>
      <Field label={t('settings.language')}>
        <Select value={language} onChange={(event) => navigate(pathInLanguage(path, event.target.value, languages))}>
          {languages.map((code) => (
            <option key={code} value={code} lang={code}>
              {LANGUAGE_NAMES[code]}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

interface OnOffProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

function OnOff({ label, isOn, onChange }: OnOffProps) {
  const { t } = useTranslation();
  return (
    <Choice
      label={label}
      value={isOn ? 'on' : 'off'}
      options={[
        { value: 'off', label: t('settings.off') },
        { value: 'on', label: t('settings.on') },
      ]}
      onChange={(choice) => onChange(choice === 'on')}
    />
  );
}

/** Prerendered pages show these, because they are written before a user's settings are known. */
const DEFAULTS: Settings = { theme: 'system', hasNotifications: false, keepsSentList: true, hidesNames: false };

/** Subscribes a component to the user's settings. */
function useSettings(): [Settings, SettingsStore] {
  const { settings } = useServices();
  return [useSyncExternalStore(settings.subscribe, settings.get, () => DEFAULTS), settings];
}
