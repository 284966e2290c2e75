// Builds the web app. In development FUROSHIKI_DEV_SERVER names the server that answers everything but the app itself.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contentPlugin } from './build/content-plugin.ts';
import { writePages } from './build/write-pages.ts';

const SAVER = 'src/platform/workers/save.worker.ts';
/** Stays out of the common chunk: main.tsx, which waits for chunks that need it, and the service worker, which is one file. */
const STANDS_ALONE = /index\.html$|src\/main\.tsx$|workers\/(?:save\.worker|offline-pages)\.ts$/u;
const target = process.env['FUROSHIKI_DEV_SERVER'];

export default defineConfig({
  plugins: [react(), contentPlugin()],
  // Addresses are relative to the <base> that the server writes, so that one build serves below any path.
  base: './',
  worker: { format: 'es' },
  // Twice: once for browsers, once for Node, which then writes every page that can be written beforehand.
  builder: {
    async buildApp(builder) {
      const { client, ssr } = builder.environments;
      if (!client || !ssr) throw new Error('Vite has lost an environment');
      await builder.build(client);
      await builder.build(ssr);
      await writePages(builder.config.root, ssr.config.build.outDir);
    },
  },
  environments: {
    ssr: {
      build: {
        ssr: 'src/prerender.tsx',
        outDir: '../../.cache/prerender',
        emptyOutDir: true,
        copyPublicDir: false,
        rolldownOptions: { input: 'src/prerender.tsx', output: { entryFileNames: 'prerender.js' } },
      },
    },
  },
  build: {
    // build/write-pages.ts reads it and takes it away.
    manifest: 'build-manifest.json',
    target: 'es2023',
    // The policy forbids data: URLs for everything but images, so nothing is inlined.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', SAVER],
      output: {
        // A service worker stands for the folder that it lies in, so it lies at the top, under a name that stays.
        entryFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.endsWith(SAVER) ? 'save.worker.js' : 'assets/[name]-[hash].js',
        // All that every page begins with is one script and one stylesheet. Left to itself the build cuts it into dozens,
        // by who else may need a piece later, and each is a round trip before the first paint.
        codeSplitting: { groups: [{ name: 'app', tags: ['$initial'], test: (id) => !STANDS_ALONE.test(id) }] },
      },
    },
  },
  server: target === undefined ? {} : { proxy: proxyTo(target) },
});

function proxyTo(server: string) {
  // The Host header stays: the server signs addresses for the origin that the browser sees.
  const whole = { target: server, changeOrigin: false };
  return { '/api': whole, '/store': whole, '/healthz': whole };
}
