// Ignores files that the user drops outside of a drop zone.

/** Otherwise the browser would open the file instead of the page, and a key that is shown only once would be lost. */
export function ignoreStrayFiles(): void {
  for (const type of ['dragover', 'drop'] as const)
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
}
