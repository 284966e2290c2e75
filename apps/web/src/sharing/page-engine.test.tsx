import type { PageEngine, PageState } from '@furoshiki/transfer';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { type Services, ServicesContext } from '../services.ts';
import { useOpenPage } from './page-engine.tsx';

const file = { id: 'a', fileName: 'a.txt', fileSize: 1, chunkSize: 1, format: 2, isEncrypted: true, salt: 's' };

function Probe({ files, keyText }: { files: object[]; keyText: string }) {
  return useOpenPage({} as PageEngine, { files, sealedList: '' } as unknown as PageState, keyText).phase;
}

it.each([
  ['checking', [file], 'a key'],
  ['none', [file], ' '],
  ['none', [], 'a key'],
])('a key is %s in the first render', (phase, files, keyText) => {
  const rendered = renderToString(
    <ServicesContext value={{} as Services}>
      <Probe files={files} keyText={keyText} />
    </ServicesContext>,
  );
  expect(rendered).toBe(phase);
});
