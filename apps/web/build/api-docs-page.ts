// The OpenAPI document as a page for people.
import { API_ERROR_STATUS, API_PREFIX, type ApiErrorCode, openApiDocument } from '@furoshiki/api';
import { BASE_PLACEHOLDER, escapeHtml } from '@furoshiki/site';
import { messages } from '@furoshiki/texts/messages';
import packageJson from '../package.json' with { type: 'json' };

interface Content {
  schema: unknown;
  example?: unknown;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required: boolean; description: string }[];
  requestBody?: { description: string; content: Record<string, Content> };
  responses: Record<string, { $ref: string } | Response>;
}

interface Response {
  description: string;
  headers?: Record<string, { description: string }>;
  content?: Record<string, Content>;
}

interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { in: string; name: string; description: string }>;
    schemas: { ErrorBody: unknown };
  };
}

export function apiDocsPage(): string {
  const { version } = packageJson;
  // The address is not shown. With https, the cookie has its usual name.
  const json = openApiDocument({
    url: 'https://site.invalid',
    version,
    contactEmail: null,
    errorTexts: messages.en.apiErrors,
  });
  const { info, tags, paths, components } = json as unknown as Document;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  const groups = tags.map(({ name, description }) => {
    const ofTag = calls.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${name}">${name}</h2>${paragraph(description)}${ofTag.map(sectionOf).join('\n')}`;
  });
  const links = ['Access', ...tags.map(({ name }) => name), 'Errors'];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${BASE_PLACEHOLDER}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(info.title)} API</title>
<link rel="icon" href="./icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="./api-docs.css">
</head>
<body>
<main>
<h1>${escapeHtml(info.title)} API ${escapeHtml(info.version)}</h1>
${info.description.split('\n\n').map(paragraph).join('\n')}
<p>All paths are below the address of this site, which is that of this page without ${code('/api/docs')}. The same for machines: <a href=".${API_PREFIX}/openapi.json">openapi.json</a>.</p>
<nav aria-label="Contents">${links.map((name) => `<a href=".${API_PREFIX}/docs#${name}">${name}</a>`).join(' ')}</nav>
<h2 id="Access">Access</h2>
${definitions(Object.entries(components.securitySchemes).map(([name, scheme]) => [`${name}: ${scheme.in} ${scheme.name}`, scheme.description]))}
${groups.join('\n')}
<h2 id="Errors">Errors</h2>
${definitions(Object.entries(API_ERROR_STATUS).map(([name, status]) => [`${status} ${name}`, messages.en.apiErrors[name as ApiErrorCode]]))}
${folded('Schema', components.schemas.ErrorBody)}
</main>
</body>
</html>
`;
}

function sectionOf({ title, operation }: { title: string; operation: Operation }): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  return `<section id="${escapeHtml(operationId)}">
<h3>${escapeHtml(operationId)} ${code(title)}</h3>
${paragraph(summary)}${description === undefined ? '' : paragraph(description)}
<p>Access: ${security.map(requirementOf).join(', or ')}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${definitions(parameters.map(parameterOf))}`}
${requestBody ? `<h4>Body</h4>${paragraph(requestBody.description)}${contentOf(requestBody.content)}` : ''}
${Object.entries(responses).map(responseOf).join('\n')}
<p>Errors: ${Object.entries(responses).flatMap(errorsOf).join('; ')}</p>
</section>`;
}

function requirementOf(schemes: Record<string, unknown>): string {
  const names = Object.keys(schemes);
  return names.length === 0 ? 'nothing' : names.map(code).join(' and ');
}

function parameterOf({ name, in: place, required, description }: Operation['parameters'][number]): [string, string] {
  return [`${name} in ${place}${required ? '' : ', optional'}`, description];
}

function responseOf([status, response]: [string, { $ref: string } | Response]): string {
  if ('$ref' in response) return '';
  const { description, headers = {}, content = {} } = response;
  const named = Object.entries(headers).map(([name, header]): [string, string] => [name, header.description]);
  return `<h4>${status}</h4>${paragraph(description)}${named.length === 0 ? '' : definitions(named)}${contentOf(content)}`;
}

/** The response of an error is named after its codes. */
function errorsOf([status, response]: [string, { $ref: string } | Response]): string[] {
  if (!('$ref' in response)) return [];
  const names = response.$ref.slice(response.$ref.lastIndexOf('/') + 1).split('.');
  return [`${status} ${names.map(code).join(', ')}`];
}

function contentOf(content: Record<string, Content>): string {
  const json = content['application/json'];
  return json ? codeBlock(json.example) + folded('Schema', json.schema) : '';
}

const code = (text: string) => `<code>${escapeHtml(text)}</code>`;
const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
const codeBlock = (json: unknown) => `<pre tabindex="0">${escapeHtml(JSON.stringify(json, null, 2))}</pre>`;
const folded = (title: string, json: unknown) => `<details><summary>${title}</summary>${codeBlock(json)}</details>`;

function definitions(items: [term: string, text: string][]): string {
  return `<dl>${items.map(([term, text]) => `<dt>${code(term)}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>`;
}

export const STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.6; }
body { margin: 0; background: light-dark(#faf7f1, #1a1816); color: light-dark(#2a2622, #efe9df); }
main { max-width: 48rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere; }
section { border-top: 1px solid light-dark(#d9d1c3, #443e37); padding: 1rem 0; }
h2 { margin: 2.5rem 0 0.5rem; }
h3 { font-size: 1.1rem; margin: 0; }
h4 { font-size: 0.9rem; margin: 0.75rem 0 0.25rem; }
p { margin: 0.25rem 0; }
dl { margin: 0.25rem 0; }
dd { margin: 0 0 0.25rem 1rem; }
a, summary { color: light-dark(#274a78, #8fb2e3); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin-top: 1rem; }
summary { cursor: pointer; width: fit-content; }
code, pre { font-size: 0.85rem; }
pre { max-height: 20rem; overflow: auto; white-space: pre-wrap; margin: 0.25rem 0; padding: 0.75rem; border-radius: 0.5rem; background: light-dark(#f1ece2, #12110f); }
`;
