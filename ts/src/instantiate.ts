import { failure, messageOf } from './wasm-source.js';

/** What the generated code exports, of either module. */
type CreateModule<Module> = (options: {
  instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => object;
}) => Promise<Module>;

interface Instance<Module> {
  readonly module: Module;
  readonly memory: WebAssembly.Memory;
}

/**
 * A module with its memory, or a LOAD_FAILED. The generated code's own loader is left out: it cannot say what went wrong,
 * and prints.
 * @internal
 */
export async function instantiate<Module>(
  create: CreateModule<Module>,
  compiled: WebAssembly.Module,
): Promise<Instance<Module>> {
  try {
    return await new Promise((resolve, reject) => {
      let memory: WebAssembly.Memory | undefined;
      create({
        instantiateWasm: (imports, receive) => {
          WebAssembly.instantiate(compiled, imports)
            .then((instance) => {
              memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
              receive(instance);
            })
            .catch(reject);
          return {};
        },
      })
        .then((module) => {
          if (!memory) throw new Error('it exports no memory');
          resolve({ module, memory });
        })
        .catch(reject);
    });
  } catch (cause) {
    throw failure(`the module cannot start (${messageOf(cause)}); free memory and load it again`, cause);
  }
}
