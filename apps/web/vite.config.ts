// Builds the web app. In development, FUROSHIKI_DEV_SERVER is the URL of the server for API requests.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contentPlugin } from './build/markdown.ts';
import { writePages } from './build/write-pages.ts';

/** Not part of the common chunk, because it waits for chunks that import the common chunk. */
const MAIN = /index\.html$|src\/main\.tsx$/u;
const target = process.env['FUROSHIKI_DEV_SERVER'];

export default defineConfig({
  plugins: [react(), contentPlugin()],
  // URLs are relative to the <base> that the server writes, so that one build works below any base path.
  base: './',
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        // The scope of a service worker is its folder, so it is in the root, and its URL must stay the same.
        entryFileNames: ({ name }) => (name === 'save.worker' ? 'save.worker.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  // Builds once for browsers and once for Node, and then prerenders the pages with the Node build.
  builder: {
    async buildApp(builder) {
      const { client, ssr } = builder.environments;
      if (!client || !ssr) throw new Error('Vite has no client or ssr environment');
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
    // build/write-pages.ts reads and deletes it.
    manifest: 'build-manifest.json',
    target: 'es2023',
    // The content security policy allows data: URLs only for images, so nothing is inlined.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Everything that every page needs is one script and one stylesheet. By default the build would split it into
        // dozens of chunks, each of which costs a round trip before the first paint.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'], test: (id) => !MAIN.test(id), priority: 1 },
            // What home loads after its first paint, with all that it imports.
            { name: 'transfers', test: /platform\/transfers\.ts$/u },
          ],
        },
      },
    },
  },
  server: target === undefined ? {} : { proxy: proxyTo(target) },
});

function proxyTo(server: string) {
  // Keeps the Host header, because the server signs URLs for the origin that the browser sees.
  const options = { target: server, changeOrigin: false };
  return { '/api': options, '/store': options, '/healthz': options };
}
