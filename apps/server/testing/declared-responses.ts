// Checks every response of the tests against the API document: it declares each status and each error code.
import { openApiDocument } from '@furoshiki/api';
import { messages } from '@furoshiki/texts/messages';

interface Operation {
  parameters: { name: string; schema: { enum?: string[] } }[];
  responses: Record<string, { $ref?: string }>;
}

const document = openApiDocument({
  url: 'http://server',
  version: '1',
  contactEmail: null,
  errorTexts: messages.en.apiErrors,
});
const calls = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: pathOf(path, operation),
      responses: operation.responses,
    })),
);

function pathOf(template: string, { parameters }: Operation): RegExp {
  const valueOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema.enum?.join('|');
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => valueOf(name) ?? '[^/]+')}$`, 'u');
}

/** Throws if the call is in the document and this response of it is not. */
export function assertDeclared(method: string, path: string, response: { statusCode: number; payload: string }): void {
  const call = calls.find((one) => one.method === method && one.path.test(path));
  if (!call) return;
  const { statusCode, payload } = response;
  const declared = call.responses[statusCode];
  // The response of an error is named after its codes.
  const codes = declared?.$ref?.split('/').at(-1)?.split('.');
  const code = statusCode >= 400 && payload.startsWith('{') ? JSON.parse(payload).errorCode : undefined;
  if (!declared || (code !== undefined && !codes?.includes(code)))
    throw new Error(`The API document does not declare ${statusCode} ${code ?? ''} of ${method} ${call.path.source}`);
}
