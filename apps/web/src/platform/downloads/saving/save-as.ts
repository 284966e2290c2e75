// Saves a complete file as a browser download.
import { safeFileName } from '@furoshiki/core';

export function saveAs(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  followLink(url, safeFileName(fileName));
  // Long enough for the browser to open it. The Blob itself lives as long as it is read.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function followLink(url: string, download?: string): void {
  const link = document.createElement('a');
  link.href = url;
  if (download !== undefined) link.download = download;
  link.click();
}
