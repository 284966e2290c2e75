// Proves that every dependency rule works: of the planted files, the one with the name of a rule breaks that rule.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import config from '../.dependency-cruiser.mjs';
import { findViolations } from './boundaries.mjs';
import { CACHE } from './paths.mjs';

/** Written to a folder with the layout of the repository. Those that are not named after a rule break none. */
const PLANTED: Record<string, string> = {
  'apps/cli/src/commands/send.ts': 'export const send = true;',
  'apps/cli/src/commands/verify.ts': [
    `import '../../../../tools/verify/src/index.ts';`,
    '',
    'export const verify = true;',
  ].join('\n'),
  'apps/cli/src/platform/cli-platform-imports-no-command.ts': `import '../commands/send.ts';`,
  'apps/server/src/adapters/disk/adapters-are-separate.ts': `import '../sql/store.ts';`,
  'apps/server/src/adapters/disk/adapters-import-no-route-or-service.ts': `import '../../services/clean.ts';`,
  'apps/server/src/adapters/sql/store.ts': `import './tables.ts';`,
  'apps/server/src/adapters/sql/tables.ts': `import 'node:fs';`,
  'apps/server/src/admin.ts': `import './adapters/sql/store.ts';`,
  'apps/server/src/config/config-imports-no-code-it-configures.ts': `import '../services/clean.ts';`,
  'apps/server/src/http/clean.ts': `import '../services/context.ts';`,
  'apps/server/src/http/http-imports-no-route.ts': `import '../routes/clean.ts';`,
  'apps/server/src/http/http-imports-no-use-case.ts': `import '../services/clean.ts';`,
  'apps/server/src/main.ts': [`import './adapters/sql/store.ts';`, `import './routes/clean.ts';`].join('\n'),
  'apps/server/src/routes/clean.ts': [
    `import 'fastify';`,
    `import '../http/clean.ts';`,
    `import '../services/clean.ts';`,
  ].join('\n'),
  'apps/server/src/routes/routes-import-no-adapter.ts': `import '../adapters/sql/store.ts';`,
  'apps/server/src/services/clean.ts': `import '../../../../packages/format/src/index.ts';`,
  'apps/server/src/services/context.ts': `export const context = 'clean';`,
  'apps/server/src/services/services-import-no-http-framework.ts': [
    `import type { FastifyRequest } from 'fastify';`,
    '',
    'export type Leak = FastifyRequest;',
  ].join('\n'),
  'apps/server/src/services/services-import-no-outer-layer.ts': `import '../routes/clean.ts';`,
  'apps/web/src/analytics/analytics-imports-no-screen.ts': `import '../screens/home/home.tsx';`,
  'apps/web/src/app/app-imports-no-entry.tsx': `import '../main.tsx';`,
  'apps/web/src/app/app.tsx': [`import '../screens/home/home.tsx';`, `import '../services.ts';`].join('\n'),
  'apps/web/src/apps-are-separate.ts': `import '../../server/src/services/clean.ts';`,
  'apps/web/src/main.tsx': [`import './app/app.tsx';`, `import './platform/disk.ts';`].join('\n'),
  'apps/web/src/no-unresolvable.ts': `import '@furoshiki/format/src/errors.ts';`,
  'apps/web/src/platform/disk.ts': [`import '../services.ts';`, '', `export const disk = 'clean';`].join('\n'),
  'apps/web/src/platform/platform-imports-only-services.ts': `import '../ui/button.tsx';`,
  'apps/web/src/screens/download/screens-are-separate.tsx': `import '../home/home.tsx';`,
  'apps/web/src/screens/home/home.tsx': [
    `import '../../sharing/sharing.tsx';`,
    `import '../../ui/button.tsx';`,
    `import './title.ts';`,
  ].join('\n'),
  'apps/web/src/screens/home/only-entries-import-adapters-and-platform.ts': `import '../../platform/disk.ts';`,
  'apps/web/src/screens/home/screens-import-no-app.tsx': `import '../../app/app.tsx';`,
  'apps/web/src/screens/home/title.ts': `export const title = 'home';`,
  'apps/web/src/services.ts': `export const services = 'clean';`,
  'apps/web/src/sharing/sharing-imports-no-screen.tsx': `import '../screens/home/home.tsx';`,
  'apps/web/src/sharing/sharing.tsx': `import '../transfer/panel.tsx';`,
  'apps/web/src/transfer/panel.tsx': `import '../ui/button.tsx';`,
  'apps/web/src/transfer/transfer-views-import-no-screen.tsx': `import '../sharing/sharing.tsx';`,
  'apps/web/src/ui/button.tsx': `export const button = 'clean';`,
  'apps/web/src/ui/ui-imports-no-feature.tsx': `import '../../../../packages/transfer/src/index.ts';`,
  'e2e/independent-client/clean.ts': `import 'node:crypto';`,
  'e2e/independent-client/independent-client-reads-only-the-docs.ts': `import '../../packages/format/src/index.ts';`,
  'packages/api/src/api-imports-only-format.ts': `import '../../transfer/src/index.ts';`,
  'packages/format/src/contracts-import-no-node.ts': `import 'node:crypto';`,
  'packages/format/src/contracts-import-no-react.ts': `import 'react';`,
  'packages/format/src/format-imports-no-workspace.ts': `import '../../transfer/src/index.ts';`,
  'packages/format/src/index.ts': `export const clean = 'format';`,
  'packages/format/src/no-cycles.ts': `import './other-half.ts';`,
  'packages/format/src/other-half.ts': `import './no-cycles.ts';`,
  'packages/transfer/src/clean.test.ts': `import '../testing/fake.ts';`,
  'packages/transfer/src/index.ts': `export { clean } from '../../format/src/index.ts';`,
  'packages/transfer/src/production-imports-no-test-code.ts': `import '../testing/fake.ts';`,
  'packages/transfer/src/transfer-imports-no-app.ts': `import '../../../apps/web/src/ui/button.tsx';`,
  'packages/transfer/src/transfer-imports-no-node.ts': `import 'node:fs';`,
  'packages/transfer/src/transfer-imports-no-react.ts': [
    `import type { ReactNode } from 'react';`,
    '',
    'export type Leak = ReactNode;',
  ].join('\n'),
  'packages/transfer/testing/fake.ts': `export const fake = 'transport';`,
  'packages/transfer/src/only-the-client-imports-tools.ts': `import '../../../tools/verify/src/index.ts';`,
  'tools/verify/src/index.ts': `export { clean } from '../../../packages/format/src/index.ts';`,
  'tools/verify/src/verify-imports-no-app.ts': `import '../../../apps/web/src/ui/button.tsx';`,
};

const rules = config.forbidden?.map(({ name }) => name ?? '') ?? [];
/** The rules that each planted file breaks, by the file's name without extension. */
const brokenRules = new Map<string, Set<string>>();

beforeAll(async () => {
  // In the repository, so that packages are found.
  mkdirSync(CACHE, { recursive: true });
  const root = mkdtempSync(join(CACHE, 'planted-'));
  for (const [file, text] of Object.entries(PLANTED)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const { violations } = await findViolations(root);
  for (const { from, rule } of violations) {
    const file = basename(from).replace(/\.tsx?$/, '');
    brokenRules.set(file, (brokenRules.get(file) ?? new Set()).add(rule.name));
  }
  rmSync(root, { recursive: true });
});

describe('a planted violation is reported', () => {
  test.each(rules)('%s', (rule) => {
    expect([...(brokenRules.get(rule) ?? [])]).toContain(rule);
  });
});

test('reports only the planted violations', () => {
  expect([...brokenRules.keys()].filter((file) => !rules.includes(file))).toEqual([]);
});

test('every rule has a comment that gives its reason', () => {
  expect(config.forbidden?.filter(({ comment }) => !comment)).toEqual([]);
});
