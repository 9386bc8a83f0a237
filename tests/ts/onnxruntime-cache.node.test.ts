import { afterEach, expect, it, vi } from 'vitest';
import { FileCache } from '../../ts/dist/onnxruntime/file-cache.js';

const url = new URL('http://models.test/config.json');

afterEach(() => {
  vi.unstubAllGlobals();
});

async function expectQuiet(cache: FileCache): Promise<void> {
  await cache.keep(url, Uint8Array.of(1, 2));
  expect(await cache.read(url)).toBeUndefined();
  await cache.forget(url);
}

it.each([
  ['cannot be opened', { open: () => Promise.reject(new DOMException('not allowed', 'SecurityError')) }],
  [
    'has no room and cannot be read',
    {
      open: () =>
        Promise.resolve({
          put: () => Promise.reject(new DOMException('full', 'QuotaExceededError')),
          match: () => Promise.reject(new Error('broken')),
          delete: () => Promise.reject(new Error('broken')),
        }),
    },
  ],
])('a cache that %s is as good as none', async (_, caches) => {
  vi.stubGlobal('caches', caches);
  await expectQuiet(new FileCache('models'));
});

it('a cache is not needed', async () => {
  await expectQuiet(new FileCache('models')); // Node has none
  const open = vi.fn();
  vi.stubGlobal('caches', { open });
  await expectQuiet(new FileCache(undefined));
  expect(open).not.toHaveBeenCalled();
});
