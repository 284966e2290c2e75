// Shows one file in place, without saving it: a picture that was decoded away from the page, a text as it is, or a video or a sound in
// the player of the browser. What strangers send runs nothing here: pictures are drawn on a canvas, and texts are text nodes.
import { downloadProgress } from '@furoshiki/transfer';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Played, Shown } from '../../services.ts';
import { TransferPanel } from '../../transfer/transfer-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useTranslation } from '../../ui/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading, Notice } from '../../ui/message.tsx';
import { downloadErrorText } from './download-errors.tsx';
import { shownNameOf } from './file-row.tsx';
import { GalleryButtons, galleryOf, useGallery } from './gallery.tsx';
import styles from './preview-dialog.module.css';
import { FIRST_PART_BYTES, NEXT_PART_BYTES, textPart } from './text-parts.ts';
import type { ShownPage } from './use-download-page.ts';
import type { OpenPreview } from './use-preview.ts';

interface PreviewDialogProps {
  page: ShownPage;
  preview: OpenPreview;
}

export function PreviewDialog({ page, preview: { file, content } }: PreviewDialogProps) {
  const { t } = useTranslation();
  const { engine, preview, state } = page;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const name = shownNameOf(file);
  const shown = content.phase === 'shown' ? content.shown : undefined;
  const gallery = galleryOf(page, file);
  const swipe = useGallery(gallery, dialog, preview.close);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser gives the focus back only if the dialog is closed before it is removed.
    return () => element?.close();
  }, []);
  return (
    <Dialog ref={dialog} isWide aria-labelledby={titleId} onClose={() => !dialog.current?.open && preview.close()}>
      <h2 id={titleId} className={styles.title}>
        {name}
      </h2>
      <div {...swipe} className={gallery && styles.swiped}>
        {body()}
      </div>
      {gallery && <GalleryButtons gallery={gallery} />}
      {shown && <p className={`soft ${styles.note}`}>{t('preview.counted')}</p>}
      <DialogActions>
        <Button onPress={preview.close}>{t('preview.close')}</Button>
        {shown && <ShareButton page={page} name={file.fileName} shown={shown} />}
        <Button
          kind="main"
          isDisabled={content.phase === 'opening' || page.state.isLimitReached}
          onPress={() => {
            void engine.download(file.id);
            preview.close();
          }}
        >
          <Icon name="download" />
          {t('download.save')}
        </Button>
      </DialogActions>
    </Dialog>
  );

  function body(): ReactNode {
    switch (content.phase) {
      case 'opening':
        return <Opening state={state} />;
      case 'failed':
        return <Notice kind="bad">{downloadErrorText(t, content.failure)}</Notice>;
      case 'shown':
        return <Content key={file.id} name={name} shown={content.shown} />;
      default:
        return content satisfies never;
    }
  }
}

function Opening({ state: { preview, isWaitingForNetwork } }: Pick<ShownPage, 'state'>) {
  const { t } = useTranslation();
  const progress = preview && preview.state.phase === 'downloading' ? downloadProgress(preview.state) : undefined;
  if (!progress) return <Loading label={t('preview.opening')} />;
  const phase = progress.isDecrypting ? 'decrypting' : 'downloading';
  return <TransferPanel {...progress} direction="down" phase={phase} isWaitingForNetwork={isWaitingForNetwork} />;
}

function ShareButton({ page, name, shown }: { page: ShownPage; name: string; shown: Shown }) {
  const { t } = useTranslation();
  if (!('bytes' in shown)) return null;
  const share = page.fileShare(name, shown.kind === 'picture' ? shown.type : 'text/plain');
  return (
    share && (
      <Button onPress={() => void share(shown.bytes)}>
        <Icon name="share" />
        {t('preview.share')}
      </Button>
    )
  );
}

function Content({ name, shown }: { name: string; shown: Shown }) {
  const { t } = useTranslation();
  switch (shown.kind) {
    case 'picture':
      return <Picture name={name} bitmap={shown.bitmap} />;
    case 'text':
      return <Text name={name} bytes={shown.bytes} />;
    case 'video':
    case 'sound':
      return <Player name={name} played={shown} />;
    case 'other':
      return <Notice kind="plain">{t('preview.cannotShow')}</Notice>;
    default:
      return shown satisfies never;
  }
}

function Player({ name, played: { kind, address } }: { name: string; played: Played }) {
  const { t } = useTranslation();
  const [isUnknown, setUnknown] = useState(false);
  const player = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = player.current;
    if (!element) return undefined;
    element.src = address;
    return () => {
      // A player that was only removed goes on until the garbage collector comes.
      element.removeAttribute('src');
      element.load();
    };
  }, [address]);
  if (isUnknown) return <Notice kind="plain">{t('preview.cannotShow')}</Notice>;
  const settings = {
    ref: player,
    autoPlay: true,
    controls: true,
    controlsList: 'nodownload noremoteplayback',
    'aria-label': name,
    className: kind === 'video' ? styles.picture : styles.sound,
    onError: () => setUnknown(true),
  };
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- the sender gives none
  return kind === 'video' ? <video {...settings} playsInline /> : <audio {...settings} />;
}

function Picture({ name, bitmap }: { name: string; bitmap: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    element.width = bitmap.width;
    element.height = bitmap.height;
    element.getContext('2d')?.drawImage(bitmap, 0, 0);
    return () => {
      // Frees its memory now, and not when the garbage collector comes.
      element.width = 0;
    };
  }, [bitmap]);
  return <canvas ref={canvas} role="img" aria-label={name} className={styles.picture} />;
}

function Text({ name, bytes }: { name: string; bytes: Uint8Array }) {
  const { t, language } = useTranslation();
  const [parts, setParts] = useState(() => [textPart(bytes, 0, FIRST_PART_BYTES)]);
  const end = parts.at(-1)?.end ?? 0;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled by keys, so it must be able to have the focus
    <section aria-label={name} tabIndex={0} className={styles.text}>
      {parts.map((part) => (
        <pre key={part.end} dir="auto">
          {part.text}
        </pre>
      ))}
      {end < bytes.length && (
        <Button kind="quiet" onPress={() => setParts([...parts, textPart(bytes, end, NEXT_PART_BYTES)])}>
          {t('preview.showMore', { size: formatBytes(bytes.length - end, language) })}
        </Button>
      )}
    </section>
  );
}
