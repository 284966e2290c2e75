// Adds the files that another app has shared to the selection, or says that they are lost.
import { useEffect, useEffectEvent, useState } from 'react';
import { useServices } from '../../services.ts';
import { useTranslation } from '../../ui/i18n.ts';
import { Notice } from '../../ui/message.tsx';
import { type IncomingFiles, pickedFiles } from './selection.ts';

interface SharedFilesProps {
  onAdd: (incoming: IncomingFiles) => void;
}

export function SharedFiles({ onAdd }: SharedFilesProps) {
  const { t } = useTranslation();
  const { takeSharedFiles } = useServices();
  const [areLost, setLost] = useState(false);
  const take = useEffectEvent(async () => {
    const files = await takeSharedFiles?.();
    if (files?.length === 0) setLost(true);
    else if (files) onAdd({ files: pickedFiles(files), unreadable: [] });
  });
  useEffect(() => void take(), []);
  return areLost ? <Notice kind="bad">{t('home.sharedLost')}</Notice> : undefined;
}
