import { readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { PluginOption } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

/**
 * A service worker that keeps all that the build made, and the manifest that lets the page be installed. After one visit
 * nothing needs the network any more.
 *
 * The weights are kept here, and not by loadModel's `cache` too: what makes a build stays and goes together, so that no page
 * ever meets another build's model, and no file is stored twice.
 * @param largestFile in bytes: a larger one fails the build, and so does a file that the worker would not keep
 */
export function offline({ largestFile = 64 * 2 ** 20 } = {}): PluginOption {
  let output = '';
  return [
    {
      name: 'output-folder',
      configResolved: ({ root, build }) => {
        output = resolve(root, build.outDir);
      },
    },
    VitePWA({
      // A new build waits until the writer starts it: src/offline/updates.ts.
      registerType: 'prompt',
      injectRegister: null,
      manifest: {
        name: 'Quillmate',
        short_name: 'Quillmate',
        description: 'A quiet page for stories. The same seed writes the same words again.',
        start_url: './',
        scope: './',
        display: 'standalone',
        background_color: '#faf7f0',
        theme_color: '#faf7f0',
        icons: [
          { src: 'quill.svg', sizes: 'any', type: 'image/svg+xml' },
          { src: 'quill-192.png', sizes: '192x192', type: 'image/png' },
          { src: 'quill-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
          { src: 'quill-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
        ],
      },
      workbox: {
        globPatterns: ['**/*'],
        maximumFileSizeToCacheInBytes: largestFile,
        // Their names change with their content, so that what the page has just fetched need not be fetched again.
        dontCacheBustURLsMatching: /^(?:assets|models-\w+)\//,
        // A page answers for itself whatever stands behind its name, as a link to a certain text has it.
        ignoreURLParametersMatching: [/./],
        navigateFallback: 'index.html',
        cleanupOutdatedCaches: true,
        clientsClaim: true, // also of the first visit, whose page was there before the worker
        manifestTransforms: [
          async (entries) => {
            const kept = new Set(entries.map(({ url }) => url));
            const missing = (await filesOf(output)).filter((file) => !kept.has(file) && !own.test(file));
            if (missing.length > 0) throw new Error(`not kept for use without a network: ${missing.join(', ')}`);
            return { manifest: entries };
          },
        ],
      },
    }),
  ];
}

/** The worker's files, of which earlier ones may still lie there, and the manifest, which the plugin adds. */
const own = /^(?:manifest\.webmanifest|sw\.js|workbox-\w+\.js)$/;

/** As addresses, relative to the folder. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
