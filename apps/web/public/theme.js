// See platform/device/settings.ts.
try {
  const theme = localStorage.getItem('furoshiki.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // No storage.
}
