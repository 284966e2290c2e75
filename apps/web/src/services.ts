// What the screens need from the platform. main.tsx brings it; no screen imports it.
import { createContext, useContext } from 'react';
import type { CipherKey, PageFile } from '@furoshiki/core';
import type { Api, DownloadEngine, UploadEngine } from '@furoshiki/transfer';

export interface Services {
  api: Api;
  createUploadEngine(): UploadEngine<File>;
  createDownloadEngine(): DownloadEngine;
  /** A fresh key, to seal with and to show. */
  newKey(): Promise<{ key: CipherKey; keyText: string }>;
  /** The key that was typed, if it fits these files. Throws a Failure that says what is wrong with it. */
  openKey(typed: string, files: readonly PageFile[]): Promise<CipherKey>;
  /** Keeps the device awake until the function that it answers is called. */
  keepAwake(): () => void;
  copyText(text: string): Promise<void>;
  /** The full address of a path of the site. */
  addressOf(path: string): string;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('No services: the screen stands outside of the app');
  return services;
}
