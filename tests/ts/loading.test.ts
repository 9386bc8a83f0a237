import { loadSampler } from 'quillmate-sampler';
import { describe, expect, test, vi } from 'vitest';
import { wrong } from './refusal.js';

// In this order, in one page: failures, each forgotten by the next call, and then the one success.
describe('loadSampler', () => {
  test.each([
    ['text', () => new TextEncoder().encode('<!doctype html><title>Quillmate'), 'begins with "<!doctype html>'],
    ['nothing', () => new ArrayBuffer(0), 'begins with ""'],
    ['a module cut short', () => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0), 'has 6 bytes that do not compile'],
    [
      'an empty module',
      () => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
      'the given array is of build unknown, not ',
    ],
    ['a number', () => 42, 'wasm is 42'],
    ['null', () => null, 'wasm is null'],
    ['no address', () => 'http://[', '"http://[" is no address'],
    ['an error page', () => new Response('gone', { status: 404, statusText: 'Not Found' }), 'answered 404 Not Found'],
  ])('refuses %s and says why', async (_, wasm, message) => {
    const failed = loadSampler({ wasm: wasm() as Uint8Array });
    await expect(failed).rejects.toMatchObject({ name: 'SamplerError', code: 'LOAD_FAILED' });
    await expect(failed).rejects.toThrow(message);
  });

  test('builds one module for all who ask, at once and later', async () => {
    const instantiate = vi.spyOn(WebAssembly, 'instantiate');
    const both = await Promise.all([loadSampler(wrong(null)), loadSampler()]);
    expect(new Set([...both, await loadSampler()]).size).toBe(1);
    expect(instantiate).toHaveBeenCalledTimes(1);
    instantiate.mockRestore();
  });

  test('builds one more for those who ask for none with SIMD', async () => {
    const [simd, scalar, same] = await Promise.all(
      (['on', 'off', 'off'] as const).map((choice) => loadSampler({ simd: choice })),
    );
    expect(simd).toBe(await loadSampler());
    expect(scalar).not.toBe(simd);
    expect(same).toBe(scalar);
  });

  test.each([true, 'yes', null])('refuses simd: %s', async (simd) => {
    const failed = loadSampler(wrong({ simd }));
    await expect(failed).rejects.toMatchObject({ code: 'LOAD_FAILED' });
    await expect(failed).rejects.toThrow("pass 'auto', 'on' or 'off'");
  });

  test('returns a sampler with 64-bit seeds', async () => {
    const sampler = await loadSampler();
    expect(sampler.uniform(1, 0)).toBe(0.8902591757080309);
    expect(sampler.uniform('18446744073709551615', 2n ** 40n, 3)).toBe(0.03127643774772315);
  });
});
