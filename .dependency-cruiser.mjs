// The walls between the rooms. scripts/walls/planted breaks each of them once, to prove that it stands.

const TEST = String.raw`\.test\.tsx?$`;
const REACT = String.raw`(^|/)node_modules/(@types/)?(react|react-[^/]+|wouter)/`;
const HTTP_FRAMEWORK = '(^|/)node_modules/(fastify|@fastify)/';
/** @type {{ dependencyTypes: import('dependency-cruiser').DependencyType[] }} */
const NODE_BUILTIN = { dependencyTypes: ['core'] };

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const forbidden = [
  {
    name: 'core-knows-no-workspace',
    comment: 'Core is what all the others agree on; if it knew one of them, they would all depend on that one.',
    from: { path: '^packages/core/' },
    to: { path: '^(packages/(?!core/)|apps/|e2e/|scripts/)' },
  },
  {
    name: 'core-knows-no-node',
    comment: 'Core runs in browsers, workers and Node alike: what it needs of the platform, it is handed.',
    from: { path: '^packages/core/', pathNot: TEST },
    to: NODE_BUILTIN,
  },
  {
    name: 'core-knows-no-react',
    comment: 'Core is pure; the server imports it too.',
    from: { path: '^packages/core/' },
    to: { path: REACT },
  },
  {
    name: 'transfer-knows-no-app',
    comment: 'The engines serve the page and other clients alike: apps plug into their ports, never the reverse.',
    from: { path: '^packages/transfer/' },
    to: { path: '^(apps|e2e|scripts)/' },
  },
  {
    name: 'transfer-knows-no-node',
    comment: 'The engines run in the browser; bytes and time reach them through ports.',
    from: { path: '^packages/transfer/', pathNot: TEST },
    to: NODE_BUILTIN,
  },
  {
    name: 'transfer-knows-no-react',
    comment: 'A transfer must outlive whatever shows it: React subscribes to an engine from outside.',
    from: { path: '^packages/transfer/' },
    to: { path: REACT },
  },
  {
    name: 'screens-are-apart',
    comment: 'A screen can be rewritten alone; what two of them share belongs in ui/, sharing/ or transfer/.',
    from: { path: '^apps/web/src/screens/([^/]+)/' },
    to: { path: '^apps/web/src/screens/[^/]+/', pathNot: '^apps/web/src/screens/$1/' },
  },
  {
    name: 'ui-is-dumb',
    comment: 'A component of ui/ knows neither the screen that it is on nor what a transfer is.',
    from: { path: '^apps/web/src/ui/' },
    to: { path: '^(apps/web/src/(app|screens|sharing|transfer|analytics)|packages/transfer)/' },
  },
  {
    name: 'routes-know-no-adapter',
    comment: 'Routes speak HTTP to services; which storage stands behind those is decided in main.',
    from: { path: '^apps/server/src/routes/', pathNot: TEST },
    to: { path: '^apps/server/src/adapters/' },
  },
  {
    name: 'services-know-no-route-or-adapter',
    comment: 'A use case sees ports only, so that it runs the same on every storage and without HTTP.',
    from: { path: '^apps/server/src/services/', pathNot: TEST },
    to: { path: '^apps/server/src/(routes|adapters)/' },
  },
  {
    name: 'services-know-no-http-framework',
    comment: 'A use case is called by jobs as well as by routes: requests and replies stay outside.',
    from: { path: '^apps/server/src/services/', pathNot: TEST },
    to: { path: HTTP_FRAMEWORK },
  },
  {
    name: 'adapters-know-no-route-or-service',
    comment: 'An adapter implements one port; what is done with it is none of its business.',
    from: { path: '^apps/server/src/adapters/', pathNot: TEST },
    to: { path: '^apps/server/src/(routes|services)/' },
  },
  {
    name: 'adapters-are-apart',
    comment: 'Each storage can be swapped alone, so none leans on another.',
    from: { path: '^apps/server/src/adapters/([^/]+)/', pathNot: TEST },
    to: { path: '^apps/server/src/adapters/', pathNot: '^apps/server/src/adapters/$1/' },
  },
  {
    name: 'only-main-picks-the-outside',
    // admin.ts is a second main; open-stores.ts is what both have in common.
    comment: 'Adapters and platform are handed in by main.* and admin.*, so that all else can be tested without them.',
    from: {
      path: '^(packages|apps)/',
      pathNot: [
        TEST,
        '/testing/',
        String.raw`^apps/[^/]+/src/(main|admin|open-stores)\.tsx?$`,
        '^apps/[^/]+/src/(adapters|platform)/',
      ],
    },
    to: { path: '^apps/[^/]+/src/(adapters|platform)/' },
  },
  {
    name: 'apps-are-apart',
    comment: 'Page and server meet in the contract of core alone.',
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'production-knows-no-test-code',
    comment: 'Fakes, contract suites and tests must never ship.',
    from: { path: '^(packages|apps)/', pathNot: [TEST, '/testing/', '^apps/server/src/contracts/'] },
    to: { path: ['/testing/', '^apps/server/src/contracts/', TEST] },
  },
  {
    name: 'independent-client-reads-only-the-docs',
    comment:
      'The independent client proves that the docs suffice to write a client: one import from us would void the proof.',
    from: { path: '^e2e/independent-client/' },
    to: { pathNot: '^e2e/independent-client/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'no-cycles',
    comment: 'Two files that need each other are one file, or hide a third.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-unresolvable',
    comment: 'A wall cannot judge an import that leads nowhere; this also stops deep imports past a package’s exports.',
    from: {},
    // `?url` and the like are Vite's; its build fails where such a file is missing.
    to: { couldNotResolve: true, pathNot: String.raw`\?(url|raw|worker|worker&url)$` },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^scripts/.*/planted/'] },
    // Types count too: a type-only import of a forbidden room is still knowledge of it.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
