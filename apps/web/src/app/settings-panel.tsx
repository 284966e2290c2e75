// The panel of the user's settings, below its button in the frame.
import { pathInLanguage } from '@furoshiki/site';
import { LANGUAGES, languages } from '@furoshiki/texts';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { useLocation } from 'wouter';
import { useServices } from '../services.ts';
import { Choice, Field, Select } from '../ui/field.tsx';
import styles from './settings-panel.module.css';

export function SettingsPanel({ language, path }: { language: string; path: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { settings: store } = useServices();
  const settings = useSyncExternalStore(store.subscribe, store.get);
  const [isDenied, setDenied] = useState(false);
  return (
    <div className={styles.panel}>
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
      <OnOff label={t('home.hideNames')} isOn={settings.hidesNames} onChange={store.setHidesNames} />
      <p className="hint">{t('settings.hideNamesHint')}</p>
      <OnOff label={t('home.keyAsWords')} isOn={settings.keyAsWords} onChange={store.setKeyAsWords} />
      <p className="hint">{t('settings.hideNamesHint')}</p>
      <Field label={t('settings.language')}>
        <Select value={language} onChange={(event) => navigate(pathInLanguage(path, event.target.value, languages))}>
          {languages.map((code) => (
            <option key={code} value={code} lang={code}>
              {LANGUAGES[code].name}
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
