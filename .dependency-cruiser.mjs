// The dependency rules: which folder may import which. Each rule has a planted violation in scripts/boundaries.test.ts.

const TEST = String.raw`\.test\.tsx?$`;
const REACT = String.raw`(^|/)node_modules/(@types/)?(react|react-[^/]+|wouter)/`;
const HTTP_FRAMEWORK = '(^|/)node_modules/(fastify|@fastify)/';
/** @type {{ dependencyTypes: import('dependency-cruiser').DependencyType[] }} */
const NODE_BUILTIN = { dependencyTypes: ['core'] };

/** @param {string} paths a regular expression, relative to the source folder of the web app */
const web = (paths) => `^apps/web/src/(${paths})`;
/** @param {string} paths a regular expression, relative to the source folder of the server */
const server = (paths) => `^apps/server/src/(${paths})`;
const WEB_ENTRY = String.raw`main\.tsx$|prerender\.tsx$`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const packageRules = [
  {
    name: 'format-imports-no-workspace',
    comment: 'The sealed format can be published alone: other clients use it without our API.',
    from: { path: '^packages/format/' },
    to: { path: '^(packages/(?!format/)|apps/|e2e/|scripts/)' },
  },
  {
    name: 'api-imports-only-format',
    comment: 'Every other package and app imports the API. If it imported one of them, all would depend on that one.',
    from: { path: '^packages/api/' },
    to: { path: '^(packages/(?!api/|format/)|apps/|e2e/|scripts/)' },
  },
  {
    name: 'contracts-import-no-node',
    comment: 'They run in browsers, workers and Node. Callers pass in what differs between these platforms.',
    from: { path: '^packages/(format|api|site)/', pathNot: TEST },
    to: NODE_BUILTIN,
  },
  {
    name: 'contracts-import-no-react',
    comment: 'They are pure, and the server imports them too.',
    from: { path: '^packages/(format|api|site)/' },
    to: { path: REACT },
  },
  {
    name: 'transfer-imports-no-app',
    comment: 'The engines work for the web app and for other clients. Apps implement their ports, never the reverse.',
    from: { path: '^packages/transfer/' },
    to: { path: '^(apps|e2e|scripts)/' },
  },
  {
    name: 'transfer-imports-no-node',
    comment: 'The engines run in the browser. They receive bytes and time through ports.',
    from: { path: '^packages/transfer/', pathNot: TEST },
    to: NODE_BUILTIN,
  },
  {
    name: 'transfer-imports-no-react',
    comment: 'A transfer must survive a change of the screen. React subscribes to an engine from outside.',
    from: { path: '^packages/transfer/' },
    to: { path: REACT },
  },
];

// The layers of the web app: main, app, screens, sharing, transfer and analytics, ui. Imports only go downwards.
// Every layer may import services.ts, the contract with the platform, except ui.
/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const webRules = [
  {
    name: 'app-imports-no-entry',
    comment: 'The entry files render the app. The app must not start a second page.',
    from: { path: web('app/') },
    to: { path: web(WEB_ENTRY) },
  },
  {
    name: 'screens-import-no-app',
    comment: 'The app chooses and frames the screens. A screen works without knowing where it is shown.',
    from: { path: web('screens/') },
    to: { path: web(`app/|${WEB_ENTRY}`) },
  },
  {
    name: 'screens-are-separate',
    comment: 'A screen can be rewritten alone. Code that two screens share belongs in ui/, sharing/ or transfer/.',
    from: { path: '^apps/web/src/screens/([^/]+)/' },
    to: { path: '^apps/web/src/screens/[^/]+/', pathNot: '^apps/web/src/screens/$1/' },
  },
  {
    name: 'sharing-imports-no-screen',
    comment: 'Two screens show the link and the key, so sharing must not depend on one of them.',
    from: { path: web('sharing/') },
    to: { path: web(`app/|screens/|${WEB_ENTRY}`) },
  },
  {
    name: 'transfer-views-import-no-screen',
    comment: 'The progress panel and the engine hooks are used by several screens and by sharing.',
    from: { path: web('transfer/') },
    to: { path: web(`app/|screens/|sharing/|analytics/|${WEB_ENTRY}`) },
  },
  {
    name: 'analytics-imports-no-screen',
    comment: 'Analytics derives its events from engine states and paths, not from what a screen shows.',
    from: { path: web('analytics/') },
    to: { path: web(`app/|screens/|sharing/|transfer/|ui/|${WEB_ENTRY}`) },
  },
  {
    name: 'ui-imports-no-feature',
    comment: 'A component of ui/ knows neither its screen nor transfers nor the platform. It only has props.',
    from: { path: web('ui/') },
    to: { path: [web(String.raw`(?!ui/)`), '^packages/transfer/'] },
  },
  {
    name: 'platform-imports-only-services',
    comment: 'The platform implements the contract in services.ts. It must not depend on how something is shown.',
    from: { path: web('platform/') },
    to: { path: web(String.raw`(?!platform/|services\.ts$)`) },
  },
];

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const serverRules = [
  {
    name: 'routes-import-no-adapter',
    comment: 'Routes translate HTTP to service calls. main.ts decides which storage the services use.',
    from: { path: server('routes/'), pathNot: TEST },
    to: { path: server('adapters/') },
  },
  {
    name: 'http-imports-no-route',
    comment: 'http/ holds what all routes share. app.ts registers the routes.',
    from: { path: server('http/'), pathNot: TEST },
    to: { path: server('routes/') },
  },
  {
    name: 'http-imports-no-use-case',
    comment: 'Only routes and jobs run use cases. http/ may import the context.',
    from: { path: server('http/'), pathNot: TEST },
    to: { path: server('services/'), pathNot: String.raw`/services/context\.ts$` },
  },
  {
    name: 'services-import-no-outer-layer',
    comment: 'A use case sees only ports, so that it runs with every storage and without HTTP.',
    from: { path: server('services/'), pathNot: TEST },
    to: { path: server('routes/|adapters/|http/') },
  },
  {
    name: 'services-import-no-http-framework',
    comment: 'Jobs call use cases too, so requests and responses stay outside.',
    from: { path: server('services/'), pathNot: TEST },
    to: { path: HTTP_FRAMEWORK },
  },
  {
    name: 'config-imports-no-code-it-configures',
    comment: 'The configuration is read before anything else starts.',
    from: { path: server('config/'), pathNot: TEST },
    to: { path: server('routes/|services/|adapters/|http/|jobs/') },
  },
  {
    name: 'adapters-import-no-route-or-service',
    comment: 'An adapter implements one port and does not depend on the use cases that call it.',
    from: { path: server('adapters/'), pathNot: TEST },
    to: { path: server('routes/|services/') },
  },
  {
    name: 'adapters-are-separate',
    comment: 'Each storage can be replaced alone, so no adapter imports another.',
    from: { path: '^apps/server/src/adapters/([^/]+)/', pathNot: TEST },
    to: { path: '^apps/server/src/adapters/', pathNot: '^apps/server/src/adapters/$1/' },
  },
];

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const repositoryRules = [
  {
    name: 'only-entries-import-adapters-and-platform',
    // admin.ts is a second entry of the server; server.ts and open-stores.ts wire both entries and the tests. Each command of
    // the command line client is an entry: it wires the engine that it runs.
    comment: 'The entries pass in adapters and platform, so that all other code can be tested without them.',
    from: {
      path: '^(packages|apps)/',
      pathNot: [
        TEST,
        '/testing/',
        String.raw`^apps/[^/]+/src/(main|admin|server|open-stores)\.tsx?$`,
        String.raw`^apps/cli/src/(commands/|run\.ts$)`,
        '^apps/[^/]+/src/(adapters|platform)/',
      ],
    },
    to: { path: '^apps/[^/]+/src/(adapters|platform)/' },
  },
  {
    name: 'cli-platform-imports-no-command',
    comment:
      'The platform of the command line client serves the engines. It must not depend on commands or their output.',
    from: { path: '^apps/cli/src/platform/', pathNot: TEST },
    to: { path: '^apps/cli/src/(args|commands|terminal)/' },
  },
  {
    name: 'apps-are-separate',
    comment: 'The web app, the command line client and the server share only the packages.',
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'verify-imports-no-app',
    comment: 'What verifies a server must not share code with it.',
    from: { path: '^tools/verify/' },
    to: { path: '^(apps|e2e|scripts)/' },
  },
  {
    name: 'only-the-client-imports-tools',
    comment: 'Tools are no part of the product: its packages, the server and the web app work without them.',
    from: { path: '^(packages|apps)/', pathNot: '^apps/cli/' },
    to: { path: '^tools/' },
  },
  {
    name: 'production-imports-no-test-code',
    comment: 'Fakes, contract suites and tests must never ship.',
    from: { path: '^(packages|apps|tools)/', pathNot: [TEST, '/testing/'] },
    to: { path: ['/testing/', TEST] },
  },
  {
    name: 'independent-client-reads-only-the-docs',
    comment:
      'It proves that the docs are enough to write a client. One import of our code would void the proof. Lists of words are data.',
    from: { path: '^e2e/independent-client/' },
    to: { pathNot: '^e2e/independent-client/|/@scure/bip39/wordlists/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'no-cycles',
    comment: 'Two files that import each other are either one file or hide a third.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-unresolvable',
    comment: 'No rule can check an import that does not resolve. This also forbids deep imports into a package.',
    // A test generates the client that is imported there, and checks the types of both.
    from: { pathNot: '^apps/server/generated-client/' },
    // Vite resolves `?url` and similar imports, and its build fails if such a file is missing.
    to: { couldNotResolve: true, pathNot: String.raw`\?(url|raw|worker|worker&url)$` },
  },
];

const forbidden = [...packageRules, ...webRules, ...serverRules, ...repositoryRules];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^scripts/.*/planted/'] },
    // Type-only imports count too: they also make one folder depend on another.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
