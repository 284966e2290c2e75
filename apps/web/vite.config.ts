// Builds the web app. In development FUROSHIKI_DEV_SERVER names the server that answers everything but the app itself.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SAVER = 'src/platform/workers/save.worker.ts';
const target = process.env['FUROSHIKI_DEV_SERVER'];

export default defineConfig({
  plugins: [react()],
  // Addresses are relative to the <base> that the server writes, so that one build serves below any path.
  base: './',
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // The policy forbids data: URLs for everything but images, so nothing is inlined.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', SAVER],
      output: {
        // A service worker stands for the folder that it lies in, so it lies at the top, under a name that stays.
        entryFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.endsWith(SAVER) ? 'save.worker.js' : 'assets/[name]-[hash].js',
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
