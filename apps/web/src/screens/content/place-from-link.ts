// A link of a text such as `faq` or `contact` means a place of ours; everything else is an address.
import { placeOf, type Screen } from '@furoshiki/core';

export function placeFromLink(to: string): Screen | undefined {
  if (to === 'home') return { name: 'home' };
  const { screen } = placeOf(`/${to}`, []);
  return screen.name === 'not-found' || screen.name === 'home' ? undefined : screen;
}
