// Sets the user's theme before the first paint. It is a separate file because the content security policy forbids inline
// scripts, and not a module because modules are deferred. platform/device/settings.ts writes the value.
try {
  const theme = localStorage.getItem('furoshiki.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme is used.
}
