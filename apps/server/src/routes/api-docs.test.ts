import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestServer, type TestOptions, type TestServer } from '../../testing/test-server.ts';

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; schema: { enum?: string[] }; example?: string }[];
  requestBody?: { content: { 'application/json'?: { example: unknown } } };
}

interface Document {
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: { clientCookie: { name: string } } };
}

async function start(config: TestOptions['config'] = {}) {
  const server = await createTestServer({ config });
  onTestFinished(() => server.close());
  const response = await server.fetch(`${server.url}/api/openapi.json`);
  return { server, response, document: (await response.json()) as Document };
}

/** Sends the example of the document, with nothing that its security asks for. */
async function codeOf(server: TestServer, method: string, path: string, { parameters, requestBody }: Operation) {
  const valueOf = (name: string) => {
    const found = parameters.find((parameter) => parameter.name === name);
    return found?.example ?? found?.schema.enum?.[0] ?? '';
  };
  const body = requestBody?.content['application/json']?.example;
  const response = await server.fetch(server.url + path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => valueOf(name)), {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return ((await response.json()) as { errorCode?: string }).errorCode;
}

describe('the API document', () => {
  it('declares the security token of exactly those calls that refuse a request without it', async () => {
    const { server, document } = await start();
    const declared: string[] = [];
    const refused: string[] = [];
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const code = await codeOf(server, method.toUpperCase(), path, operation);
        if (code === 'CSRF_TOKEN_EXPIRED') refused.push(operation.operationId);
        if (operation.security.every((schemes) => 'securityToken' in schemes)) declared.push(operation.operationId);
      }
    expect(declared).toEqual(refused);
    expect(declared).toContain('initUpload');
  });

  it.each<[string, TestOptions['config']]>([
    ['over plain HTTP', {}],
    ['over https', { PUBLIC_ORIGIN: 'https://files.example.org' }],
    ['below a base path', { PUBLIC_ORIGIN: 'https://example.org', BASE_PATH: '/files' }],
  ])('names the cookie that the server sets %s', async (_, config) => {
    const { response, document } = await start(config);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie?.split('=')[0]).toBe(document.components.securitySchemes.clientCookie.name);
  });

  it('has the contact of the instance, if there is one', async () => {
    expect((await start()).document.info).not.toHaveProperty('contact');
    const { document } = await start({ CONTACT_EMAIL: 'help@example.org' });
    expect(document.info).toMatchObject({ contact: { email: 'help@example.org' } });
  });
});
