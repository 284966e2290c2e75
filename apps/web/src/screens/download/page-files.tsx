// The files of a page behind one key field, which every file shares.
import type { PageFile } from '@furoshiki/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretField } from '../../ui/secret-field.tsx';
import styles from './download.module.css';
import { FileRow } from './file-row.tsx';
import { KeyHelp, keyErrorText } from './key-help.tsx';
import { useKey } from './use-key.ts';

interface PageFilesProps {
  files: readonly PageFile[];
  givenKey: string;
  onChanged: () => void;
}

export function PageFiles({ files, givenKey, onChanged }: PageFilesProps) {
  const { t, i18n } = useTranslation();
  const { typed, setTyped, check } = useKey(files, givenKey);
  /** One file at a time. */
  const [runningId, setRunningId] = useState<string>();
  const firstEnd = Math.min(...files.map((file) => file.expiresAt));
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeStyle: 'short' }).format(
    firstEnd * 1000,
  );
  return (
    <>
      <h1>{t('download.title')}</h1>
      <p>{t('download.deletedAt', { date })}</p>
      <SecretField
        label={t('download.key')}
        hint={t('download.keyHint')}
        error={check.phase === 'refused' ? keyErrorText(t, check.failure) : undefined}
        value={typed}
        onChange={setTyped}
        showLabel={t('share.showKey')}
        hideLabel={t('share.hideKey')}
      />
      <p aria-live="polite" className={styles.keyFits}>
        {check.phase === 'fits' ? t('download.keyFits') : ''}
      </p>
      {check.phase === 'refused' && <KeyHelp />}
      <ul className={styles.files}>
        {files.map((file) => (
          <FileRow
            key={file.id}
            file={file}
            cipherKey={check.phase === 'fits' ? check.key : undefined}
            isBlocked={runningId !== undefined && runningId !== file.id}
            onRunning={(isRunning) => setRunningId(isRunning ? file.id : undefined)}
            onComplete={onChanged}
          />
        ))}
      </ul>
    </>
  );
}
