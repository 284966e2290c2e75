import { expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; required: boolean }[];
}

const document = openApiDocument('https://files.example.org') as {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

it('describes every call of the table, and the stored bytes', () => {
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(endpoints), 'storedBytes'].toSorted(),
  );
  for (const { summary } of operations) expect(summary).toMatch(/\.$/u);
  expect(document.servers).toEqual([{ url: 'https://files.example.org/api' }]);
});

it('names every path parameter, and the token for every call that needs it', () => {
  expect(document.paths['/download/{id}/confirm']?.['post']?.parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path', required: true }),
    expect.objectContaining({ name: 'x-csrf-token', in: 'header', required: true }),
  ]);
  expect(document.paths['/download/{id}']?.['get']?.parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path' }),
    expect.objectContaining({ name: 'demo', in: 'query', required: false }),
    expect.objectContaining({ name: 'x-access-token', in: 'header', required: false }),
  ]);
});
