import { Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { lazyComponent } from './lazy.tsx';

it('shows the fallback only as long as its code is not loaded', async () => {
  const Lazy = lazyComponent(async () => ({ text }: { text: string }) => <p>{text}</p>);
  const render = () =>
    renderToString(
      <Suspense fallback={<i>loading</i>}>
        <Lazy text="loaded" />
      </Suspense>,
    );
  expect(render()).toContain('<i>loading</i>');
  await Lazy.load();
  expect(render()).toBe('<!--$--><p>loaded</p><!--/$-->');
});
