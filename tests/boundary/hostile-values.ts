import type { Sampler } from 'quillmate-sampler';

/** What the hostile code of a caller throws: the only thing besides a SamplerError that a call may end with. */
export class Mine extends Error {}

const fail = (): never => {
  throw new Mine();
};

/** Pseudo-random choices, the same for the same seed. */
export class Choices {
  readonly #sampler: Sampler;
  readonly #seed: number;
  #step = 0;

  constructor(sampler: Sampler, seed: number) {
    this.#sampler = sampler;
    this.#seed = seed;
  }

  /** From 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.#sampler.uniform(this.#seed, this.#step++) * n);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

type Resizable = ArrayBuffer & { resize(bytes: number): void };
type ResizableConstructor = new (bytes: number, options: { maxByteLength: number }) => Resizable;

/** A subclass that lies of everything that can be overridden. */
class Lying extends Float32Array {
  override get length(): number {
    return 2 ** 31;
  }
  override get byteOffset(): number {
    return 2 ** 20;
  }
  override subarray(): never {
    return fail();
  }
}

const numbers = [
  0, -0, 1, -1, 0.5, 0.95, 2, 3, 40, 1e-320, 1e308, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, NaN, Infinity, -Infinity,
]; // prettier-ignore

/** A value that is no number, or one that is none to a careful reader. */
function stranger(choices: Choices): unknown {
  return choices.of<() => unknown>([
    () => undefined,
    () => null,
    () => true,
    () => '',
    () => '1',
    () => 'x'.repeat(100),
    () => '\ud800',
    () => 1n,
    () => -1n,
    () => 2n ** 64n,
    () => Symbol('value'),
    () => ({}),
    () => [],
    () => [1],
    () => ({ valueOf: fail, toString: fail, toJSON: fail }),
    () => new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail }),
    () => Proxy.revocable({}, {}).proxy,
    () => fail,
    () => new Date(0),
    () => new Map([[0, 1]]),
    () => Object.create(null) as unknown,
  ])();
}

/** Harmless more often than not, or every call would be refused for its first argument. */
export function numberOf(choices: Choices): unknown {
  const kind = choices.below(8);
  if (kind === 0) return stranger(choices);
  return kind === 1 ? choices.of(numbers) : choices.of([0, 0, 1, 1, 2, 0.5, 0.95]);
}

/** Runs between two of the caller's values: whatever a getter could do meanwhile. */
function meanwhile(sampler: Sampler, choices: Choices): void {
  choices.of<() => void>([
    () => undefined,
    fail,
    () => {
      new sampler.LogitsRow(2 ** 12).dispose();
    },
    () => void sampler.sampleToken([1, 2, 3], { u: 0.5 }),
    () => void sampler.distribution([1, 2, 3]),
    () => void new sampler.Generator(() => [1], [0]).state(),
  ])();
}

/** An object with the given names, whose values are hostile in many ways. */
export function settingsOf(sampler: Sampler, choices: Choices, names: readonly string[]): unknown {
  const style = choices.below(24);
  if (style === 0) return stranger(choices);
  const settings: Record<string, unknown> = style === 1 ? (Object.create(null) as Record<string, unknown>) : {};
  for (const name of names) {
    const kind = choices.below(8);
    if (kind === 0) continue;
    const value = name === 'u' && kind > 2 ? choices.below(100) / 100 : numberOf(choices);
    if (kind === 1) {
      const get = (): unknown => {
        meanwhile(sampler, choices);
        return value;
      };
      Object.defineProperty(settings, name, { get, enumerable: choices.below(2) === 0 });
    } else {
      settings[name] = value;
    }
  }
  if (style === 2) settings.top_k = 1;
  return style === 3 ? new Proxy(settings, {}) : settings;
}

/** A row of logits, or what could be mistaken for one. */
export function rowOf(sampler: Sampler, choices: Choices): unknown {
  const size = choices.of([0, 1, 2, 3, 4, 4, 4, 5, 63, 64, 65, 200]);
  const value = (): number =>
    choices.below(500) === 0
      ? choices.of(numbers)
      : choices.below(20) === 0
        ? -Infinity
        : choices.below(1000) / 100 - 5;
  const values = (): number[] => Array.from({ length: size }, value);
  const list = (): unknown[] => values();
  if (choices.below(3) === 0) return Float32Array.from(values());
  return choices.of<() => unknown>([
    values,
    () => Float32Array.from(values()),
    () => Float64Array.from(values()),
    () => Float32Array.from(values()).subarray(choices.below(4)),
    () => Int32Array.from(values()),
    () => Lying.from(values()),
    () => ({ type: choices.of(['float16', 'bfloat16', 'float32']), data: Uint16Array.from(list(), () => choices.below(65_536)) }), // prettier-ignore
    () => {
      const elements = list();
      elements[choices.below(size)] = stranger(choices);
      return elements;
    },
    () => {
      const elements = list();
      Object.defineProperty(elements, choices.below(size + 1), {
        get: () => {
          meanwhile(sampler, choices);
          elements.length = choices.below(size + 1);
          return value();
        },
        configurable: true,
      });
      return elements;
    },
    () => new Proxy(list(), { get: (target, name) => (name === 'length' ? numberOf(choices) : Reflect.get(target, name) as unknown) }), // prettier-ignore
    () => {
      const row = Float32Array.from(values());
      structuredClone(row.buffer, { transfer: [row.buffer] });
      return row;
    },
    () => {
      const buffer = new (ArrayBuffer as unknown as ResizableConstructor)(4 * size, { maxByteLength: 1024 });
      const row = choices.below(2) === 0 ? new Float32Array(buffer) : new Float32Array(buffer, 0, size);
      buffer.resize(4 * choices.below(100));
      return row;
    },
    () => {
      if (typeof SharedArrayBuffer === 'undefined') return new Float32Array(size);
      const row = new Float32Array(new SharedArrayBuffer(4 * size));
      row.set(values());
      return row;
    },
    () => {
      const row = new sampler.LogitsRow(size);
      row.view.set(values());
      const { view } = row;
      if (choices.below(4) === 0) row.dispose();
      return view;
    },
    () => {
      const endless: number[] = [];
      endless.length = 2 ** 32 - 1;
      return endless;
    },
    () => stranger(choices),
  ])();
}

/** A state as it might have been stored: whole, cut, with a field of another kind, or something else altogether. */
export function stateOf(sampler: Sampler, choices: Choices): unknown {
  const state = new sampler.Generator(() => [1, 2], [0], { seed: choices.below(100) }).state();
  const fields: Record<string, unknown> = { ...state };
  const names = Object.keys(fields);
  return choices.of<() => unknown>([
    () => fields,
    () => JSON.stringify(fields),
    () => JSON.stringify(fields).slice(0, choices.below(200)),
    () => JSON.stringify(fields).replace(/\d/, () => String(choices.of(numbers))),
    () => ({ ...fields, [choices.of(names)]: numberOf(choices) }),
    () => ({ ...fields, tokens: [choices.of(numbers)], promptLength: 1 }),
    () => Object.defineProperty({ ...fields }, choices.of(names), { get: fail, enumerable: true }),
    () => stranger(choices),
  ])();
}
