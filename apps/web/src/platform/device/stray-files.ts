// Files that are dropped where no screen takes them.

/** Or the browser would open them in place of the page, and what it shows once, a key for one, would be gone. */
export function refuseStrayFiles(): void {
  for (const type of ['dragover', 'drop'] as const)
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
}
