// What the sender hands on: the link and, apart from it, the key. Shown once.
import { linkWithKey, maskKey } from '@furoshiki/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './download.module.css';

export function ShareBox({ link, keyText }: { link: string; keyText: string }) {
  const { t } = useTranslation();
  const { copyText } = useServices();
  const [isKeyShown, setKeyShown] = useState(false);
  return (
    <section className={styles.share}>
      <Notice kind="good">{t('share.success')}</Notice>
      <CopyField
        label={t('share.link')}
        shown={link}
        copyLabel={t('share.copyLink')}
        copiedLabel={t('share.copied')}
        onCopy={() => copyText(link)}
      />
      <CopyField
        label={t('share.key')}
        shown={isKeyShown ? keyText : maskKey(keyText)}
        copyLabel={t('share.copyKey')}
        copiedLabel={t('share.copied')}
        onCopy={() => copyText(keyText)}
      >
        <Button onPress={() => setKeyShown(!isKeyShown)}>{isKeyShown ? t('share.hideKey') : t('share.showKey')}</Button>
      </CopyField>
      <p className={styles.advice}>{t('share.advice')}</p>
      <CopyField
        label={t('share.linkWithKey')}
        shown={t('share.linkWithKeyHint')}
        copyLabel={t('share.copyLinkWithKey')}
        copiedLabel={t('share.copied')}
        onCopy={() => copyText(linkWithKey(link, keyText))}
      />
    </section>
  );
}
