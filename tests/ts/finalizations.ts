import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';

let finalized = 0;

/** Counts what the net of the package catches that is imported next, in Node. Undone by `vi.unstubAllGlobals`. */
export function countFinalizations(): void {
  setFlagsFromString('--expose-gc');
  const Registry = globalThis.FinalizationRegistry;
  vi.stubGlobal(
    'FinalizationRegistry',
    class<T> extends Registry<T> {
      constructor(callback: (held: T) => void) {
        super((held) => {
          finalized += 1;
          callback(held);
        });
      }
    },
  );
  vi.resetModules();
}

/** Collects garbage until the count is reached or will not be. */
export async function finalizedAfterCollection(expected: number): Promise<number> {
  const collect = runInNewContext('gc') as () => void;
  finalized = 0;
  for (let turn = 0; turn < 50 && finalized < expected; ++turn) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return finalized;
}
