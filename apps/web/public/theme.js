// Puts the theme that was chosen on the page before its first paint. A file of its own, because the policy forbids inline
// scripts, and no module, because those wait. platform/settings.ts writes what is read here.
try {
  const theme = localStorage.getItem('furoshiki.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme counts.
}
