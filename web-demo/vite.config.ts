import { defineConfig, type Plugin } from 'vite';
import { modelFolder } from './vite/model-folder.ts';
import { offline } from './vite/offline.ts';

/** The page's own files and WebAssembly, and nothing else. */
const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'none'";

/** In the built page itself, for hosts that send no headers. The development server could not work under it. */
const policyInPage: Plugin = {
  name: 'policy-in-page',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  base: './',
  // No data: addresses, which the policy refuses.
  build: { target: 'es2022', assetsInlineLimit: 0, rolldownOptions: { input: ['index.html', 'explorer.html'] } },
  worker: { format: 'es' },
  // Pre-bundling would part their code from their .wasm files.
  optimizeDeps: { exclude: ['onnxruntime-web', 'quillmate-sampler'] },
  plugins: [policyInPage, modelFolder(), offline()],
  preview: {
    // A worker obeys the headers of its own script, not the policy in the page.
    headers: {
      'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  },
});
