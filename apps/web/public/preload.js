// Starts to load the texts of the user's language and the code of the download screen at once. The fallback page, which
// is the same at every address, cannot name them. It is only a hint: the app finds out by itself what it needs.
{
  const { texts, download } = JSON.parse(document.currentScript.dataset.files);
  const addLink = (file, attributes) => {
    const link = document.createElement('link');
    Object.assign(link, { crossOrigin: '', fetchPriority: 'low', href: `./${file}` }, attributes);
    document.head.append(link);
  };
  const stored = () => {
    try {
      return localStorage.getItem('i18nextLng');
    } catch {
      return null; // No storage.
    }
  };
  const path = location.pathname.slice(new URL(document.baseURI).pathname.length).split('/');
  const languages = Object.keys(texts);
  const match = (code) =>
    languages.find((language) => language.toLowerCase() === code?.toLowerCase()) ??
    languages.find((language) => language === code?.split('-')[0]);
  const language = [path[0], stored(), ...navigator.languages].map(match).find(Boolean);
  if (language) {
    addLink(texts[language], { rel: 'preload', as: 'fetch' });
    addLink(`manifests/${language}.webmanifest`, { rel: 'manifest' });
  }
  if (path.includes('download')) {
    for (const [file, integrity] of download.modules) addLink(file, { rel: 'modulepreload', integrity });
    for (const file of download.styles) addLink(file, { rel: 'preload', as: 'style' });
  }
}
