// The key of a finished upload, hidden until the sender asks to see it: its Base64, or twelve words in a numbered grid.
import { joinWords, maskKey } from '@furoshiki/format';
import { useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './sharing.module.css';

interface KeyFieldProps {
  keyText: string;
  words: readonly string[] | undefined;
  copiedLabel: string;
  failedLabel: string;
  onCopy: () => Promise<void>;
}

export function KeyField({ keyText, words, ...props }: KeyFieldProps) {
  const { t } = useTranslation();
  const [isKeyShown, setKeyShown] = useState(false);
  const text = words ? joinWords(words) : keyText;
  return (
    <CopyField
      label={t('share.key')}
      displayText={words ? <Words words={words} areShown={isKeyShown} /> : isKeyShown ? keyText : maskKey(keyText)}
      fullText={text}
      copyLabel={t('share.copyKey')}
      hint={words && t('share.wordsHint')}
      {...props}
    >
      <Button
        shape="bare"
        kind="quiet"
        aria-label={isKeyShown ? t('share.hideKey') : t('share.showKey')}
        onPress={() => setKeyShown(!isKeyShown)}
      >
        <Icon name={isKeyShown ? 'eyeOff' : 'eye'} />
      </Button>
    </CopyField>
  );
}

/** All hidden words are equally long: their lengths would be a part of the key. */
const HIDDEN = '••••';

function Words({ words, areShown }: { words: readonly string[]; areShown: boolean }) {
  // A key may have a word twice.
  const numbered = words.map((word, index) => ({ word, number: index + 1 }));
  return (
    <ol className={styles.words}>
      {numbered.map(({ word, number }) => (
        <li key={number}>{areShown ? word : HIDDEN}</li>
      ))}
    </ol>
  );
}
