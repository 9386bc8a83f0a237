import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { loadSampler, type Sampler } from 'quillmate-sampler';
import { expect, test, vi } from 'vitest';

const moduleFile = (name: string) => readFile(new URL(`../../ts/wasm/${name}`, import.meta.url));

/** Tokens of rows that every level of the core takes part in; uses nothing from outside. */
function drawn(sampler: Sampler): number[] {
  const rows = [0.5, 6, 30].map((scale, seed) =>
    Float32Array.from({ length: 30_011 }, (_, i) => Math.round(sampler.uniform(seed, i) * 1024) * scale * 2 ** -10),
  );
  const settings = [{}, { temperature: 0 }, { topP: 0.9 }, { temperature: 0.7, topK: 40, topP: 0.95 }];
  return rows.flatMap((row, seed) =>
    settings.flatMap((setting) =>
      Array.from({ length: 20 }, (_, i) => sampler.sampleToken(row, { ...setting, u: sampler.uniform(seed, i, 1) })),
    ),
  );
}

test("an engine without SIMD takes the scalar module and draws the same tokens; 'on' is refused there", async () => {
  const script = `
    import { loadSampler } from 'quillmate-sampler';
    ${drawn.toString()}
    const refusal = await loadSampler({ simd: 'on' }).catch(({ code, message }) => ({ code, message }));
    const wasm = new URL(import.meta.resolve('quillmate-sampler/quillmate.wasm'));
    const unfit = await loadSampler({ wasm }).catch(({ code, message }) => ({ code, message }));
    const sampler = await loadSampler();
    console.log(JSON.stringify({ refusal, unfit, tokens: drawn(sampler), one: sampler === (await loadSampler({ simd: 'off' })) }));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-enable-sse4-1',
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    refusal: { code: 'LOAD_FAILED', message: expect.stringContaining("pass 'auto' or 'off'") as string },
    unfit: { code: 'LOAD_FAILED', message: expect.stringContaining('it needs quillmate-scalar.wasm') as string },
    tokens: drawn(await loadSampler({ simd: 'on' })),
    one: true,
  });
});

test.each([
  ['auto', 'quillmate.wasm'],
  ['on', 'quillmate.wasm'],
  ['off', 'quillmate-scalar.wasm'],
] as const)('an engine with SIMD loads with %s %s, and nothing else', async (simd, name) => {
  vi.resetModules();
  const { loadSampler: load } = await import('quillmate-sampler');
  const compile = vi.spyOn(WebAssembly, 'compile');
  await load({ simd });
  const compiled = compile.mock.calls.map(([bytes]) => Buffer.from(bytes as Uint8Array));
  compile.mockRestore();
  expect(compiled).toEqual([await moduleFile(name)]);
});
