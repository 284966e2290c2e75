// All state of the home screen: the draft, the config of the instance, interrupted uploads and the upload engine.
import { DEFAULT_RETENTION_DAYS, DOWNLOAD_LIMIT, type InstanceConfig, type RetentionDays } from '@furoshiki/api';
import {
  isUploadRunning,
  type LocalFile,
  type ResumeRecord,
  type SeparatePage,
  type UploadEngine,
  type UploadNote,
  type UploadResult,
  type UploadState,
} from '@furoshiki/transfer';
import {
  type Dispatch,
  type SetStateAction,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import {
  type FileMatch,
  type InterruptedUpload,
  type SelectedFile,
  useInstanceConfig,
  useServices,
} from '../../services.ts';
import { useEngine, useKeepAwake } from '../../transfer/use-engine.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';
import {
  addFiles,
  clearRefusals,
  EMPTY_SELECTION,
  type IncomingFiles,
  problemOf,
  removeFile,
  type Selection,
} from './selection.ts';

const UNENCRYPTED = { key: 'unencrypted', keyText: '', words: undefined } as const;

/** The result of an upload. The key exists only in memory: a reload loses it. */
export interface FinishedUpload {
  pageId: string;
  /** Set if the files could not be put on one page. */
  separatePages?: readonly SeparatePage[] | undefined;
  /** Empty if the files are not encrypted. */
  keyText: string;
  /** The same key, to read aloud, if the sender has chosen words. */
  words?: readonly string[] | undefined;
}

interface Sending {
  keyText: string;
  words?: readonly string[] | undefined;
  fileNames: readonly string[];
  retentionDays: RetentionDays;
}

export interface UploadInput {
  draft: Draft;
  setDraft: Dispatch<SetStateAction<Draft>>;
  onStart: () => void;
  onUploaded: (upload: FinishedUpload) => void;
}

export function useUpload({ draft, setDraft, onStart, onUploaded }: UploadInput) {
  const { t, language } = useTranslation();
  const services = useServices();
  const [state, engine] = useEngine<UploadState, UploadEngine<File>>(services.createUploadEngine);
  const config = useHomeConfig();
  const { selection, retentionDays, downloadLimit, isEncrypted, uploadToken } = draft;
  const { settings } = services;
  const isHidingUsual = useSyncExternalStore(
    settings.subscribe,
    () => settings.get().hidesNames,
    () => false,
  );
  const areNamesAlwaysHidden = config?.hideNames === 'always';
  const hidesNames = isEncrypted && (areNamesAlwaysHidden || (draft.hidesNames ?? isHidingUsual));
  const areWordsUsual = useSyncExternalStore(
    settings.subscribe,
    () => settings.get().keyAsWords,
    () => false,
  );
  const keyAsWords = isEncrypted && (draft.keyAsWords ?? areWordsUsual);
  const [areWordsMissing, setWordsMissing] = useState(false);
  const { preloadWords } = services;
  useEffect(() => {
    if (keyAsWords) preloadWords(language);
  }, [keyAsWords, language, preloadWords]);
  /** What the upload that was started last sends. */
  const sending = useRef<Sending>({ keyText: '', fileNames: [], retentionDays });
  const change = (changed: Partial<Draft>) => setDraft((current) => ({ ...current, ...changed }));
  const changeSelection = useCallback(
    (apply: (current: Selection) => Selection) =>
      setDraft((current) => ({ ...current, selection: apply(current.selection) })),
    [setDraft],
  );
  const remove = useCallback((id: number) => changeSelection((current) => removeFile(current, id)), [changeSelection]);
  const interrupted = useInterruptedUpload({
    canResume: () => !isUploadRunning(engine.getState()),
    onResume: (resumption) => void resume(resumption),
    onStartOver: (files) => add({ files: [...files], unreadable: [] }),
  });

  /** Set by an addition, until the interrupted uploads were compared with the whole selection. */
  const hasAdded = useRef(false);

  function add({ files, unreadable }: IncomingFiles): void {
    hasAdded.current = true;
    changeSelection((current) => addFiles(current, files, unreadable));
  }

  const recogniseAdded = useEffectEvent((all: Selection['files']) => {
    if (!hasAdded.current) return;
    hasAdded.current = false;
    // Without its token the server would refuse the rest of the upload, and the upload would be lost. For a sign-in it waits.
    if (!config?.needsToken || uploadToken !== '') interrupted.recognise(all);
  });
  useEffect(() => recogniseAdded(selection.files), [selection.files]);

  const announceEnd = useEffectEvent(({ pageId, separatePages }: UploadResult) => {
    services.notify(t('notices.uploadDone'));
    const { keyText, words, fileNames, ...sent } = sending.current;
    const sentPages = separatePages?.map((page) => ({
      ...sent,
      pageId: page.pageId,
      fileNames: [fileNames[0] === '' ? '' : page.fileName],
    }));
    services.loadSentPages().then(
      (list) => (sentPages ?? [{ ...sent, pageId, fileNames }]).forEach((page) => list.add(page)),
      () => undefined,
    );
    onUploaded({ pageId, separatePages, keyText, words });
  });
  useEffect(() => {
    if (state.phase === 'done') announceEnd(state);
  }, [state]);

  const isRunning = isUploadRunning(state);
  const announceStart = useEffectEvent(onStart);
  useEffect(() => {
    if (isRunning) announceStart();
  }, [isRunning]);
  useKeepAwake(isRunning);
  useLeaveGuard(isRunning);
  useEffect(() => {
    const leave = () => engine.leave();
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, [engine]);

  async function start(): Promise<void> {
    const newKey = await newKeyToSend();
    setWordsMissing(newKey === undefined);
    if (!newKey) return;
    // After a double click the first upload runs with the first key, so that key must be shown.
    if (isUploadRunning(engine.getState())) return;
    changeSelection(clearRefusals);
    const { key, keyText, words } = newKey;
    sending.current = { keyText, words, fileNames: keptNames(selection.files, hidesNames), retentionDays };
    const options = { downloadLimit, retentionDays, hidesNames, note: isEncrypted ? noteOf(draft) : {} };
    await engine.start({
      files: selection.files.map(({ name, file }) => ({
        name,
        size: file.size,
        contentType: file.type,
        modifiedAt: Math.floor(file.lastModified / 1000),
        source: file,
      })),
      key,
      ...options,
      resumeRecord: services.resumeRecords.begin({ keyText, words, ...options }, selection.files),
    });
  }

  /** Undefined if the words could not be loaded. */
  async function newKeyToSend() {
    if (!isEncrypted) return UNENCRYPTED;
    return keyAsWords ? services.newKeyOfWords(language).catch(() => undefined) : services.newKey();
  }

  async function resume({ upload, files, resumeRecord }: Resumption): Promise<void> {
    const key = upload.keyText === '' ? UNENCRYPTED.key : await services.importKeyText(upload.keyText);
    if (isUploadRunning(engine.getState())) return;
    changeSelection(clearRefusals);
    const { keyText, words, checkpoint } = upload;
    const options = {
      downloadLimit: upload.downloadLimit,
      retentionDays: upload.retentionDays,
      hidesNames: upload.hidesNames,
      note: upload.note,
    };
    const fileNames = keptNames(files, upload.hidesNames);
    sending.current = { keyText, words, fileNames, retentionDays: upload.retentionDays };
    await engine.start({ files, key, ...options, resumeRecord, resume: checkpoint });
  }

  return {
    state,
    problem: problemOf(selection, hidesNames),
    hidesNames,
    areNamesAlwaysHidden,
    keyAsWords,
    areWordsMissing,
    interrupted,
    config,
    add,
    remove,
    removeAll: () => change({ selection: EMPTY_SELECTION }),
    change,
    setEncrypted(isOn: boolean) {
      change({ isEncrypted: isOn });
      services.analytics.report([{ event: 'encryption_toggled', facts: { to: isOn ? 'on' : 'off' } }]);
    },
    setUploadToken(text: string) {
      change({ uploadToken: text });
      services.setUploadToken(text);
    },
    start: () => void start(),
    cancel: () => void engine.cancel(),
  };
}

/** The parts of the instance config that change the home screen. */
export interface HomeConfig extends Pick<InstanceConfig, 'allowUnencrypted' | 'signIn' | 'hideNames'> {
  /** Whether the user must enter the upload token. */
  needsToken: boolean;
}

/** Undefined until the server has responded. */
function useHomeConfig(): HomeConfig | undefined {
  const config = useInstanceConfig();
  if (config.phase !== 'loaded') return undefined;
  const { uploadTokenRequired, signIn } = config.value;
  return { ...config.value, needsToken: uploadTokenRequired && !signIn };
}

/** Empty fields are left out. */
function noteOf({ title, message }: Draft): UploadNote {
  return { title: title.trim() || undefined, message: message.trim() || undefined };
}

interface Draft {
  selection: Selection;
  retentionDays: RetentionDays;
  downloadLimit: number;
  isEncrypted: boolean;
  uploadToken: string;
  /** Undefined: as in the settings. */
  hidesNames: boolean | undefined;
  /** Undefined: as in the settings. */
  keyAsWords: boolean | undefined;
  /** For the recipient. */
  title: string;
  message: string;
}

/** What the sender has prepared. It outlives the home screen, so that reading another page loses nothing. */
export const EMPTY_DRAFT: Draft = {
  selection: EMPTY_SELECTION,
  retentionDays: DEFAULT_RETENTION_DAYS,
  downloadLimit: DOWNLOAD_LIMIT.default,
  isEncrypted: true,
  uploadToken: '',
  hidesNames: undefined,
  keyAsWords: undefined,
  title: '',
  message: '',
};

/** What the list on this device keeps. Names that are hidden from the server are not written there in clear either. */
const keptNames = (files: readonly { name: string }[], areHidden: boolean) =>
  files.map(({ name }) => (areHidden ? '' : name));

interface Resumption {
  upload: InterruptedUpload;
  files: LocalFile<File>[];
  resumeRecord: ResumeRecord;
}

interface Handlers {
  /** False while another upload runs. */
  canResume: () => boolean;
  onResume: (resumption: Resumption) => void;
  /** Called if the content of some files has changed. They can only be sent as a new upload with a new key. */
  onStartOver: (files: readonly SelectedFile[]) => void;
}

/** Finds uploads that were interrupted when their tab was closed, and resumes or discards them, the latest first. */
function useInterruptedUpload({ canResume, onResume, onStartOver }: Handlers) {
  const { resumeRecords, abandonUpload } = useServices();
  const [uploads, setUploads] = useState<readonly InterruptedUpload[]>([]);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [upload] = uploads;

  useEffect(() => {
    const leaving = new AbortController();
    resumeRecords.findInterrupted(leaving.signal).then(
      (found) => leaving.signal.aborted || setUploads(found),
      // A browser without storage has no records.
      () => undefined,
    );
    return () => leaving.abort();
  }, [resumeRecords]);

  function dismiss(interrupted: InterruptedUpload): void {
    setUploads((all) => all.filter((other) => other !== interrupted));
    setMissing([]);
    setChanged([]);
  }

  async function discard(interrupted: InterruptedUpload): Promise<void> {
    dismiss(interrupted);
    const checkpoint = await interrupted.discard();
    // Without a checkpoint another tab has resumed or finished the upload: its files stay on the server.
    if (checkpoint) await abandonUpload(checkpoint);
  }

  /** Does nothing if files are missing or have changed. */
  async function resumeWith(interrupted: InterruptedUpload, match: FileMatch): Promise<void> {
    if (match.changed.length > 0 || match.missing.length > 0 || !canResume()) return;
    const claimed = await interrupted.claim();
    dismiss(interrupted);
    if (!claimed) return;
    const { checkpoint, resumeRecord } = claimed;
    onResume({ upload: { ...interrupted, checkpoint }, files: match.files, resumeRecord });
  }

  async function resume(interrupted: InterruptedUpload, selected: readonly SelectedFile[]): Promise<void> {
    const match = await interrupted.matchFiles(selected);
    setMissing(match.missing);
    setChanged(match.changed);
    // The user may have selected the wrong files, so the interrupted upload is kept until it is discarded.
    if (match.changed.length > 0) onStartOver(selected);
    else await resumeWith(interrupted, match);
  }

  /** Resumes an upload if the selection has all of its files that are left, and no others. */
  async function recognise(selected: readonly SelectedFile[]): Promise<void> {
    const known = uploads.find(({ files }) => selected.every((file) => mayBeAmong(files, file)));
    if (known && selected.length > 0) await resumeWith(known, await known.matchFiles(selected));
  }

  return {
    upload,
    count: uploads.length,
    missing,
    changed,
    resume: (files: readonly SelectedFile[]) => void (upload && resume(upload, files)),
    recognise: (files: readonly SelectedFile[]) => void recognise(files),
    discard: () => void (upload && discard(upload)),
  };
}

/** Compares the cheap facts. A file of a folder may come by itself the second time. */
function mayBeAmong(files: InterruptedUpload['files'], { name, file }: SelectedFile): boolean {
  return files.some((known) => known.size === file.size && known.name.split('/').at(-1) === name.split('/').at(-1));
}
