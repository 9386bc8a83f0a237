import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { offline } from '../../web-demo/vite/offline.js';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'quillmate-offline-'));
  await mkdir(join(root, 'public/.well-known'), { recursive: true });
  await writeFile(join(root, 'index.html'), '<!doctype html><head><title>A page</title></head><body></body>');
  await writeFile(join(root, 'public/weights.onnx'), new Uint8Array(3_000_000));
});
afterAll(() => rm(root, { recursive: true }));

const buildWith = (plugin: ReturnType<typeof offline>): Promise<unknown> =>
  build({ root, configFile: false, logLevel: 'silent', plugins: [plugin] });

it('keeps a model of more than two megabytes, and fails a build whose files it would not keep', async () => {
  await buildWith(offline());
  await expect(buildWith(offline({ largestFile: 2_999_999 }))).rejects.toThrow(/weights\.onnx/);
  await writeFile(join(root, 'public/.well-known/later'), '');
  await expect(buildWith(offline())).rejects.toThrow('not kept for use without a network: .well-known/later');
});
