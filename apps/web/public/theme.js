// Runs before the first paint, without the app: sets the theme, and helps if the app's own scripts do not arrive.
{
  // See platform/device/settings.ts.
  try {
    const theme = localStorage.getItem('furoshiki.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // No storage.
  }

  /** Once a minute at most: it does not help if the server or the line is broken. */
  const mayReload = () => {
    try {
      const lastMs = Number(sessionStorage.getItem('furoshiki.reloadedAt'));
      sessionStorage.setItem('furoshiki.reloadedAt', String(Date.now()));
      return navigator.onLine && Date.now() - lastMs > 60_000;
    } catch {
      return false; // No storage.
    }
  };
  const showNotice = () => {
    const notices = [...document.querySelectorAll('.load-failed')];
    const codes = [...location.pathname.split('/'), ...navigator.languages];
    const matches = codes.map((code) => notices.find(({ lang }) => lang === code || lang === code.split('-')[0]));
    const notice = matches.find(Boolean) ?? notices[0];
    notice.querySelector('a').href = location.href;
    notice.hidden = false;
    addEventListener('online', () => location.reload());
  };
  const onFailure = () => {
    if (mayReload()) location.reload();
    else if (document.readyState === 'loading') addEventListener('DOMContentLoaded', showNotice);
    else showNotice();
  };
  // The app itself has not received its texts.
  addEventListener('load-failed', onFailure);
  // Events of elements do not bubble.
  const capture = true;
  addEventListener('error', ({ target }) => target.type === 'module' && onFailure(), capture);
}
