import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { loadSampler } from 'quillmate-sampler';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

let load: typeof loadSampler;
let bytes: Buffer<ArrayBuffer>;
let oracle: Buffer<ArrayBuffer>;
let server: Server;
let origin: string;

/** The build's id is what a module ends with. */
function ofAnotherBuild(module: Buffer): Buffer {
  return Buffer.concat([module.subarray(0, -12), Buffer.from('0123456789ab')]);
}

const page = '<!doctype html><title>Not what you asked for</title>';
const answers: Record<string, { status?: number; type?: string; body: () => string | Uint8Array; cut?: boolean }> = {
  '/sampler.wasm': { type: 'application/wasm', body: () => bytes },
  '/text.wasm': { type: 'text/plain', body: () => bytes },
  '/page.wasm': { type: 'text/html', body: () => page },
  '/short.wasm': { type: 'application/wasm', body: () => bytes.subarray(0, bytes.length / 2) },
  '/older.wasm': { type: 'application/wasm', body: () => ofAnotherBuild(bytes) },
  '/oracle.wasm': { type: 'application/wasm', body: () => oracle },
  '/broken.wasm': { type: 'application/wasm', body: () => bytes.subarray(0, 1000), cut: true },
};

beforeAll(async () => {
  bytes = await readFile(new URL('../../ts/wasm/quillmate.wasm', import.meta.url));
  oracle = await readFile(new URL('../../ts/wasm/exact.wasm', import.meta.url));
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (!answer) {
      response.writeHead(404).end(page);
    } else if (answer.cut) {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(answer.body(), () => response.destroy());
    } else {
      response.writeHead(200, { 'content-type': answer.type }).end(answer.body());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(async () => {
  vi.resetModules();
  ({ loadSampler: load } = await import('quillmate-sampler'));
});

describe('loadSampler', () => {
  test.each([
    ['an address as text', () => `${origin}/sampler.wasm`],
    ['an address', () => new URL('/sampler.wasm', origin)],
    ['a server that calls the file text', () => `${origin}/text.wasm`],
    ['a file', () => new URL('../../ts/wasm/quillmate.wasm', import.meta.url)],
    ['bytes', () => bytes],
    ['a buffer', () => Uint8Array.from(bytes).buffer],
  ])('takes %s, quietly', async (_, wasm) => {
    const printed = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const sampler = await load({ wasm: wasm() });
    expect(sampler.sampleToken([0, 1], { temperature: 0, u: 0 })).toBe(1);
    for (const print of printed) {
      expect(print).not.toHaveBeenCalled();
      print.mockRestore();
    }
  });

  test('takes the answer of a fetch, and a compiled module', async () => {
    expect((await load({ wasm: await fetch(`${origin}/sampler.wasm`) })).uniform(1, 0)).toBe(0.8902591757080309);
    vi.resetModules();
    const anew = await import('quillmate-sampler');
    const compiled = await WebAssembly.compile(bytes);
    expect((await anew.loadSampler({ wasm: compiled })).uniform(1, 0)).toBe(0.8902591757080309);
  });

  test.each([
    ['a page in place of the file', '/page.wasm', /page\.wasm is not WebAssembly but begins with "<!doctype html>/],
    ['a missing file', '/missing.wasm', /missing\.wasm answered 404 Not Found; pass the address/],
    ['half a file', '/short.wasm', /short\.wasm has \d+ bytes that do not compile .*cut short/],
    [
      'a module of another build',
      '/older.wasm',
      /older\.wasm is of build 0123456789ab, not [0-9a-f]{12}; load the file that came with this script/,
    ],
    ['another module of the package', '/oracle.wasm', /oracle\.wasm is of build [0-9a-f]{12}, not/],
    ['an answer that breaks off', '/broken.wasm', /broken\.wasm cannot be read .*; load it again/],
  ])('names the address and the remedy for %s, and the next call succeeds', async (_, path, message) => {
    const failures = [load({ wasm: origin + path }), load()];
    for (const failure of failures) {
      await expect(failure).rejects.toMatchObject({ name: 'SamplerError', code: 'LOAD_FAILED' });
      await expect(failure).rejects.toThrow(message);
      await expect(failure).rejects.toThrow(origin + path);
    }
    expect((await load()).uniform(1, 0)).toBe(0.8902591757080309);
  });

  test('refuses a compiled module of another build, too', async () => {
    const wasm = await WebAssembly.compile(Uint8Array.from(ofAnotherBuild(bytes)));
    await expect(load({ wasm })).rejects.toThrow('the given module is of build 0123456789ab, not ');
    expect((await load()).uniform(1, 0)).toBe(0.8902591757080309);
  });

  test('names a server that does not answer', async () => {
    const address = 'http://127.0.0.1:9/quillmate.wasm';
    await expect(load({ wasm: address })).rejects.toThrow(`${address} cannot be read`);
  });

  test.each(['/models/quillmate.wasm', 'quillmate.wasm'])('tells how a path such as %s is passed', async (wasm) => {
    await expect(load({ wasm })).rejects.toThrow(
      `"${wasm}" is no address; outside of a page pass a whole one, such as the file: URL that pathToFileURL(path)`,
    );
  });

  test('names a file that is not there', async () => {
    const missing = pathToFileURL('/nowhere/quillmate.wasm');
    await expect(load({ wasm: missing })).rejects.toThrow(`${missing.href} cannot be read (ENOENT`);
  });
});
