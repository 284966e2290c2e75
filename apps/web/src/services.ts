// The contract between the screens and the platform. main.tsx provides the implementation; no screen imports it.
import type { AnalyticsEventName, Failure, InstanceConfig, RetentionDays } from '@furoshiki/api';
import type { SecretKey } from '@furoshiki/format';
import type {
  Api,
  FolderContents,
  FolderFile,
  LocalFile,
  OpenMedia,
  PageEngine,
  ResumeRecord,
  UploadCheckpoint,
  UploadEngine,
  UploadNote,
} from '@furoshiki/transfer';
import { type Loader, type LoadState, useLoad } from './ui/lazy.tsx';
import { createContext, useContext } from 'react';

/** The key of a "link with key". */
export interface LinkKey {
  text: string;
  /** Something has encoded the `#`, so the browser sent the key to the server. */
  wasSent: boolean;
}

/** Problems of this browser that the user should know about before a download is counted. */
export interface DownloadWarnings {
  /** The browser inside another app, which drops downloads without an error. */
  isInApp: boolean;
  /** In bytes. Larger files may fail, because they must fit into memory. Undefined if there is no such limit. */
  memoryWarningAbove: number | undefined;
}

/** A key that was made for an upload. */
export interface NewKey {
  key: SecretKey;
  /** Its Base64. */
  keyText: string;
  /** Only of a key that was made of words. */
  words?: readonly string[] | undefined;
}

/** What is known of words while they are typed into the key field. */
export interface TypedWords {
  /** Words that begin with the last one, if that is still being typed. */
  suggestions: readonly string[];
  /** What is wrong with the words before it. */
  failure: Failure | undefined;
}

export interface AnalyticsEvent {
  event: AnalyticsEventName;
  /** Never a name, an id, a link, a key or a size: only values from closed lists. */
  facts: Record<string, string>;
}

/** Sends nothing unless the operator has configured analytics and the user allows tracking. */
export interface Analytics {
  pageView(path: string): void;
  report(events: readonly AnalyticsEvent[]): void;
}

export interface Services {
  api: Api;
  /** Fetches a security token unless there is a valid one. Throws a Failure. */
  prepare(): Promise<void>;
  /** What this instance allows and requires. */
  instanceConfig: Loader<InstanceConfig>;
  /** The token is only kept in memory. */
  setUploadToken(text: string): void;
  loadSignIn(): Promise<SignInTabs>;
  /** False if the browser offers no cryptography because the address is not secure (plain HTTP). */
  canEncrypt: boolean;
  settings: SettingsStore;
  /**
   * Takes the files that another app has shared. Undefined if the page was not opened for that.
   * It returns undefined if they were taken before, and no files if they are lost.
   */
  takeSharedFiles: (() => Promise<File[] | undefined>) | undefined;
  /** Shows a system notification if the user has turned them on and the page is not visible. */
  notify(text: string): void;
  reload(): void;
  createUploadEngine(): UploadEngine<File>;
  /** Loads the code that only downloads need. */
  loadDownloads: Loader<Downloads>;
  resumeRecords: ResumeRecords;
  loadSentPages: Loader<SentPages>;
  /** Deletes an interrupted upload from the server. */
  abandonUpload(checkpoint: UploadCheckpoint): Promise<void>;
  /** Returns a new key, and its text to show to the user. */
  newKey(): Promise<NewKey>;
  /** Returns a new key of words in this language. Throws a Failure if the words cannot be loaded. */
  newKeyOfWords(language: string): Promise<NewKey>;
  /** Loads the words that new keys are made of, so that the next call of `newKeyOfWords` needs no network. */
  preloadWords(language: string): void;
  /** Throws a Failure if the words cannot be loaded. */
  readWords(text: string): Promise<TypedWords>;
  /** Returns the key that a text contains. Throws a Failure that says what is wrong with the text. */
  importKeyText(text: string): Promise<SecretKey>;
  /** Keeps the device awake until the returned function is called. */
  keepAwake(): () => void;
  copyText(text: string): Promise<void>;
  analytics: Analytics;
  /** Approves JSON as the content of a script element that only holds data (Trusted Types). */
  dataScript(json: string): string;
  /** Opens the system's share dialog for a link, and returns whether it was shared. Undefined if the browser has none. */
  share: ((link: string) => Promise<boolean>) | undefined;
  /** The pages that this tab has sent. It holds no keys. */
  ownPages: { add(pageId: string): void; has(pageId: string): boolean };
  /** Whether the pages of this language are cached, so that they can be read offline. */
  canReadOffline(): Promise<boolean>;
  /** True on the first visit of a browser that asks only for languages that we lack. */
  offersEnglish: boolean;
  /** Returns the full URL of a path of the site. */
  addressOf(path: string): string;
}

/** Connects the tab in which the user signs in and the tab whose upload waits for that. */
export interface SignInTabs {
  /** Asks the server whether it knows of the sign-in. Waits for the network. Throws a Failure. */
  isSignedIn(): Promise<boolean>;
  /** Lets a waiting upload ask the server now. */
  check(): void;
  /**
   * Called in the tab of the sign-in: lets waiting uploads of other tabs go on, and closes this tab if one does.
   * Returns the function that keeps the tab open.
   */
  announce(): () => void;
}

export interface Downloads {
  createPage(pageId: string): PageEngine;
  downloadWarnings(): Promise<DownloadWarnings>;
  /**
   * Returns a function that saves a downloaded file again, or a ZIP if called with the id of its page.
   * Undefined if the browser no longer has the bytes.
   */
  saveAgain(id: string): (() => void) | undefined;
  /** What is in a downloaded folder. Undefined if the file is no folder. */
  savedFolder(id: string): SavedFolder | undefined;
  /** Decides by its content how a file is shown. Takes the bytes and gives them back. Throws a Failure. */
  lookAt(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Looked>;
  /**
   * Lets a video or a sound be played that is read bit by bit. Undefined if the content is neither, or if this browser cannot do it.
   * Throws a Failure. `onFailure` is called if something cannot be read later.
   */
  playMedia(media: OpenMedia, onFailure: (thrown: unknown) => void): Promise<Played | undefined>;
  /**
   * Returns a function that opens the system's share dialog for a file. Undefined if the browser has none, or if it does not take a
   * file of this name and type.
   */
  fileShare(name: string, type: string): ((bytes: Uint8Array<ArrayBuffer>) => Promise<void>) | undefined;
}

/** How a file is shown. */
export type Shown = Looked | Played;

export type Looked =
  | { kind: 'picture'; bytes: Uint8Array<ArrayBuffer>; type: string; bitmap: ImageBitmap }
  /** Valid UTF-8. */
  | { kind: 'text'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'other' };

export interface Played {
  kind: 'video' | 'sound';
  /** Only this tab can read it, and only until `end` is called. */
  address: string;
  end(): void;
}

export interface SavedFolder extends FolderContents {
  /** Saves one of its files by itself. Undefined if the browser no longer has the bytes. */
  save: ((file: FolderFile) => void) | undefined;
}

export type Theme = 'system' | 'light' | 'dark';

export interface Settings {
  theme: Theme;
  hasNotifications: boolean;
  keepsSentList: boolean;
  /** Whether new uploads hide names and exact sizes from the server, unless their sender chooses otherwise. */
  hidesNames: boolean;
  /** Whether new keys are words, unless their sender chooses otherwise. */
  keyAsWords: boolean;
}

export interface SettingsStore {
  get(): Settings;
  subscribe(listener: () => void): () => void;
  setTheme(theme: Theme): void;
  /** Returns false if the browser does not allow notifications. */
  setNotifications(isOn: boolean): Promise<boolean>;
  /** Turning it off also clears the list. */
  setKeepsSentList(isOn: boolean): void;
  setHidesNames(isOn: boolean): void;
  setKeyAsWords(isOn: boolean): void;
}

/** A page that was sent from this browser. It has no key. */
export interface SentPage {
  pageId: string;
  /** The name of its first file. Empty if the names are hidden. */
  fileName: string;
  fileCount: number;
  /** By the clock of this device. No file of the page is stored longer. */
  expiresAtMs: number;
}

/** The list "Sent from this device", which is stored in this browser only. */
export interface SentPages {
  /** The latest first. Returns the same array until the list changes. */
  list(): readonly SentPage[];
  subscribe(listener: () => void): () => void;
  /** Does nothing if the user has turned the list off. */
  add(page: { pageId: string; fileNames: readonly string[]; retentionDays: RetentionDays }): void;
  remove(pageId: string): void;
  removeExpired(nowMs: number): void;
  /** Deletes the files of a page from the server. Throws a Failure. */
  deleteFiles(pageId: string): Promise<void>;
}

/** A file with the name that the recipient sees: the file's name, or its path within a selected folder. */
export interface SelectedFile {
  name: string;
  file: File;
}

/** Fixed when an upload starts. */
export interface UploadOptions {
  /** Empty if the files are not encrypted. */
  keyText: string;
  /** The same key, to read aloud. Undefined if the sender has not chosen words. */
  words?: readonly string[] | undefined;
  downloadLimit: number;
  retentionDays: RetentionDays;
  hidesNames: boolean;
  note: UploadNote;
}

/** Stores the checkpoints of uploads, so that an upload can resume after its tab was closed. */
export interface ResumeRecords {
  begin(options: UploadOptions, files: readonly SelectedFile[]): ResumeRecord;
  /** Returns the uploads whose tab was closed, the latest first. Waits for the network, because it needs the server. */
  findInterrupted(signal: AbortSignal): Promise<InterruptedUpload[]>;
}

export interface InterruptedUpload extends UploadOptions {
  files: readonly { name: string; size: number }[];
  checkpoint: UploadCheckpoint;
  /** Finds the files of this upload among the selected ones. Compares their content, not only their names. */
  matchFiles(selected: readonly SelectedFile[]): Promise<FileMatch>;
  /** Returns undefined if another tab has resumed or finished this upload. */
  claim(): Promise<ClaimedUpload | undefined>;
  /** Deletes the record, and returns the checkpoint to clean up. Undefined if another tab owns the upload. */
  discard(): Promise<UploadCheckpoint | undefined>;
}

export interface ClaimedUpload {
  /** The state to resume from. It may be newer than the checkpoint that was found. */
  checkpoint: UploadCheckpoint;
  /** Receives the further checkpoints. */
  resumeRecord: ResumeRecord;
}

export interface FileMatch {
  /** In the order of the upload. */
  files: LocalFile<File>[];
  /** Names of files that are not among the selected ones. */
  missing: string[];
  /** Names of files whose content has changed. */
  changed: string[];
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('No services: the component is rendered outside of ServicesContext');
  return services;
}

/** If the server does not send its config, the screens show what every instance allows. It refuses the rest itself. */
export function useInstanceConfig(): LoadState<InstanceConfig> {
  return useLoad(useServices().instanceConfig);
}
