import { join } from 'node:path';

// The packages lie in the folder above, and not at the lock that is found first.
const root = join(import.meta.dirname, '..');

export default {
  serverExternalPackages: ['quillmate-sampler'], // Node finds the .wasm file; a bundle for server components does not
  turbopack: { root },
  outputFileTracingRoot: root,
};
