// What is in a folder that was downloaded: its files, each of which can be saved separately, and what was left out.
import { formatBytes } from '@furoshiki/texts/format-bytes';
import type { FolderFile } from '@furoshiki/transfer';
import { useState } from 'react';
import type { SavedFolder } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/message.tsx';
import { useTranslation } from '../../ui/i18n.ts';
import styles from './folder-list.module.css';

/** A folder may have a million files. */
const SHOWN_AT_FIRST = 100;
const SHOWN_MORE = 1000;
const SHOWN_LINKS = 5;

export function FolderList({ folder }: { folder: SavedFolder | undefined }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  if (!folder) return null;
  const { files, links, save } = folder;
  const hidden = files.length - shown;
  return (
    <>
      {links.length > 0 && (
        <Notice kind="plain">
          {t('download.linksLeftOut', { count: links.length, names: links.slice(0, SHOWN_LINKS).join(', ') })}{' '}
          {links.length > SHOWN_LINKS && t('home.more', { count: links.length - SHOWN_LINKS })}
        </Notice>
      )}
      {files.length > 0 && (
        <details className={styles.folder}>
          <summary>{t('download.folderFiles')}</summary>
          <ul className={styles.files}>
            {files.slice(0, shown).map((file) => (
              <FolderRow key={file.path} file={file} save={save} />
            ))}
          </ul>
          {hidden > 0 && (
            <Button kind="quiet" onPress={() => setShown(shown + SHOWN_MORE)}>
              {t('download.showMore', { count: Math.min(hidden, SHOWN_MORE) })}
            </Button>
          )}
        </details>
      )}
    </>
  );
}

function FolderRow({ file, save }: { file: FolderFile } & Pick<SavedFolder, 'save'>) {
  const { t, language } = useTranslation();
  // All of them are in the same folder, whose name is above.
  const name = file.path.slice(file.path.indexOf('/') + 1);
  return (
    <li className={styles.file}>
      <span dir="auto" className={styles.name}>
        {name}
      </span>
      <span className="soft">{formatBytes(file.size, language)}</span>
      {save && (
        <Button kind="quiet" aria-label={t('download.saveNamed', { name })} onPress={() => save(file)}>
          {t('download.save')}
        </Button>
      )}
    </li>
  );
}
