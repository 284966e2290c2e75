// What the screens need from the platform. main.tsx brings it; no screen imports it.
import { createContext, useContext } from 'react';
import type { ApiResponse, CipherKey, PageFile, RetentionDays } from '@furoshiki/core';
import type { AnalyticsEvent } from './analytics/analytics-events.ts';
import type { Api, LocalFile, PageEngine, UploadEngine, ResumeRecord, UploadCheckpoint } from '@furoshiki/transfer';

/** What a person should know of this browser before a download is spent. */
export interface SavingLimits {
  /** The browser inside another app, which drops downloads without a word. */
  isInApp: boolean;
  /** Larger files may fail, because they have to be held in memory. Undefined where that is not so. */
  memoryWarningAbove: number | undefined;
}

/** Who is told what happens, where the operator wants it and the reader does not mind. */
export interface Analytics {
  opened(path: string): void;
  tell(told: readonly AnalyticsEvent[]): void;
}

export type InstanceConfig = Pick<ApiResponse<'config'>, 'allowUnencrypted' | 'uploadTokenRequired'>;

export interface Services {
  api: Api;
  /** Fetches the security token, where there is none that is valid. Throws a Failure. */
  prepare(): Promise<void>;
  /** What this instance allows and asks for. */
  instanceConfig(): Promise<InstanceConfig>;
  /** Kept in memory alone. */
  setUploadToken(text: string): void;
  /** False where the browser gives no encryption, because the address is not secure. */
  canEncrypt: boolean;
  settings: SettingsStore;
  /** Tells who is not looking at the page, where that is wanted. */
  notify(text: string): void;
  reload(): void;
  createUploadEngine(): UploadEngine<File>;
  /** Loads what only downloads need, once. */
  loadDownloads(): Promise<Downloads>;
  resumeRecords: ResumeRecords;
  /** Takes off the server what an upload has left there. */
  abandonUpload(note: UploadCheckpoint): Promise<void>;
  /** A fresh key, to seal with and to show. */
  newKey(): Promise<{ key: CipherKey; keyText: string }>;
  /** The key that was typed, if it fits these files. Throws a Failure that says what is wrong with it. */
  openKey(typed: string, files: readonly PageFile[]): Promise<CipherKey>;
  /** Keeps the device awake until the function that it answers is called. */
  keepAwake(): () => void;
  copyText(text: string): Promise<void>;
  analytics: Analytics;
  /** JSON for a script element that holds data. */
  dataScript(json: string): string;
  /** The system's own sheet for handing on a link. Undefined where there is none. */
  share: ((link: string) => Promise<void>) | undefined;
  /** The full address of a path of the site. */
  addressOf(path: string): string;
}

export interface Downloads {
  createPage(pageID: string): PageEngine;
  savingLimits(): Promise<SavingLimits>;
  /** Gives the browser a file once more that was saved, or a ZIP by its page's id. Undefined where none is left here. */
  saveAgain(id: string): (() => void) | undefined;
}

export type Theme = 'system' | 'light' | 'dark';

export interface Settings {
  theme: Theme;
  hasNotifications: boolean;
}

export interface SettingsStore {
  get(): Settings;
  subscribe(listener: () => void): () => void;
  setTheme(theme: Theme): void;
  /** Answers false where the browser does not allow it. */
  setNotifications(isOn: boolean): Promise<boolean>;
}

/** A file under the name that it is sent by: its own, or its path within a folder. */
export interface NamedFile {
  name: string;
  file: File;
}

/** What never changes from the start of an upload to its end. */
export interface UploadFacts {
  /** Empty where the files are not encrypted. */
  keyText: string;
  downloadLimit: number;
  retentionDays: RetentionDays;
}

/** Uploads that outlive their page. */
export interface ResumeRecords {
  begin(facts: UploadFacts, files: readonly NamedFile[]): ResumeRecord;
  /** What pages that are gone have left, the latest first. */
  findInterrupted(): Promise<InterruptedUpload[]>;
}

export interface InterruptedUpload extends UploadFacts {
  files: readonly { name: string; size: number }[];
  note: UploadCheckpoint;
  /** Its files among these, known again by their content and not only by their names. */
  recognise(given: readonly NamedFile[]): Promise<Recognition>;
  /** Undefined where another tab has been quicker: it goes on there, or has come to its end. */
  takeOver(): Promise<TakenOver | undefined>;
  /** Answers what is left of it on the server, or undefined where that is another tab's. */
  forget(): Promise<UploadCheckpoint | undefined>;
}

export interface TakenOver {
  /** To go on from: another tab may have come further than the note that was found. */
  note: UploadCheckpoint;
  /** To go on writing. */
  journal: ResumeRecord;
}

export interface Recognition {
  /** In the order of the upload. */
  files: LocalFile<File>[];
  /** Names of files that are not among those given, and of those that are not what they were. */
  missing: string[];
  changed: string[];
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('No services: the screen stands outside of the app');
  return services;
}
