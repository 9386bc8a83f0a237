import { Core } from './core.js';
import { describe } from './errors.js';
import { samplerBuild } from './generated/build-ids.js';
import { instantiate } from './instantiate.js';
import { Sampler } from './sampler.js';
import { hasSimd } from './simd.js';
import { compile, failure, type WasmSource } from './wasm-source.js';
import createModule from '../wasm/quillmate.mjs';

/** Where the WebAssembly module is, and which of the two. */
export interface LoadOptions {
  /**
   * Where the module is, when not beside this package's files: `quillmate.wasm`, or `quillmate-scalar.wasm` where there
   * is no SIMD. It is loaded as it is: which of the two to hand over is then the caller's choice.
   */
  readonly wasm?: WasmSource | undefined;
  /**
   * Which of the package's two modules is loaded: the one with SIMD ('on') or the slower one that every engine runs
   * ('off'); 'auto', the default, takes the first where the engine can run it. They draw the same tokens.
   */
  readonly simd?: 'auto' | 'on' | 'off' | undefined;
}

/** By whether the module has SIMD. */
const samplers = new Map<boolean, Promise<Sampler>>();

/**
 * Loads a WebAssembly module and returns the sampler that is bound to it. There is one with SIMD and one without: later
 * calls that ask for the same return the same, wherever they say it is, unless a load fails; then the next tries again.
 *
 * Rejects with a SamplerError LOAD_FAILED that names the address, the fault and the remedy.
 */
export async function loadSampler(options: LoadOptions = {}): Promise<Sampler> {
  const given = (options as LoadOptions | null) ?? {};
  const simd = wantsSimd(given.simd);
  const { wasm = ownModule(simd) } = given;
  let sampler = samplers.get(simd);
  if (!sampler) {
    sampler = load(wasm);
    samplers.set(simd, sampler);
    sampler.catch(() => samplers.delete(simd));
  }
  return sampler;
}

function wantsSimd(choice: unknown): boolean {
  switch (choice) {
    case undefined:
    case 'auto':
      return hasSimd();
    case 'on':
      if (!hasSimd()) throw failure(`simd is 'on', but this engine has no WebAssembly SIMD; pass 'auto' or 'off'`);
      return true;
    case 'off':
      return false;
    default:
      throw failure(`simd is ${describe(choice)}; pass 'auto', 'on' or 'off'`);
  }
}

// Spelled out, so that bundlers find both files.
const ownModule = (simd: boolean): URL =>
  simd ? new URL('../wasm/quillmate.wasm', import.meta.url) : new URL('../wasm/quillmate-scalar.wasm', import.meta.url);

async function load(wasm: WasmSource): Promise<Sampler> {
  const { module, memory } = await instantiate(createModule, await compile(wasm, samplerBuild));
  return new Sampler(new Core(module, memory));
}
