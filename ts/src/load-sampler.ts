import { Core } from './core.js';
import { Sampler } from './sampler.js';
import { compile, failure, messageOf, type WasmSource } from './wasm-source.js';
import createModule, { type MainModule } from '../wasm/quillmate.mjs';

export interface LoadOptions {
  /** Where `quillmate.wasm` is, when not beside this package's files. */
  readonly wasm?: WasmSource | undefined;
}

let loading: Promise<Sampler> | undefined;

/**
 * Loads the WebAssembly module and returns the sampler that is bound to it. There is one: later calls return the same,
 * whatever their options, unless a load fails; then the next call tries again.
 *
 * Rejects with a SamplerError LOAD_FAILED that names the address, the fault and the remedy.
 */
export function loadSampler(options: LoadOptions = {}): Promise<Sampler> {
  if (!loading) {
    loading = load(options);
    loading.catch(() => {
      loading = undefined;
    });
  }
  return loading;
}

async function load(options: LoadOptions | null): Promise<Sampler> {
  const { wasm = new URL('../wasm/quillmate.wasm', import.meta.url) } = options ?? {};
  const compiled = await compile(wasm);
  try {
    return new Sampler(await instantiate(compiled));
  } catch (cause) {
    throw failure(
      `the module does not fit this package's version (${messageOf(cause)}); load the one it came with`,
      cause,
    );
  }
}

/** The generated code's own loader is left out: it cannot say what went wrong, and prints. */
function instantiate(compiled: WebAssembly.Module): Promise<Core> {
  return new Promise((resolve, reject) => {
    let memory: WebAssembly.Memory | undefined;
    const instantiateWasm = (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): object => {
      WebAssembly.instantiate(compiled, imports)
        .then((instance) => {
          memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
          receive(instance);
        })
        .catch(reject);
      return {};
    };
    createModule({ instantiateWasm })
      .then((module: MainModule) => {
        if (!memory) throw new Error('it exports no memory');
        resolve(new Core(module, memory));
      })
      .catch(reject);
  });
}
