// Resolves a link in a content page: `faq` or `contact` is one of our screens, anything else is a URL.
import { parsePath, type Screen } from '@furoshiki/site';

export function screenFromLink(to: string): Screen | undefined {
  if (to === 'home') return { name: 'home' };
  const { screen } = parsePath(`/${to}`, []);
  return screen.name === 'not-found' || screen.name === 'home' ? undefined : screen;
}
