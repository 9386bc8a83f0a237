import { describe, SamplerError } from './errors.js';
import type { Generator } from './generator.js';

/**
 * When a run ends. Without any of these an iteration goes on for as long as it asks for tokens; to await such a run is an error,
 * INVALID_RUN.
 */
export interface RunOptions {
  /** Whole, at least 0: so many tokens are drawn. */
  readonly maxTokens?: number | undefined;
  /** The token that ends a text, or several; it is drawn, and is the last. */
  readonly eosId?: number | readonly number[] | undefined;
  /** Texts that end the run when one has been written, wherever its tokens begin and end. Needs `decode`. */
  readonly stop?: string | readonly string[] | undefined;
  /** The text of tokens, such as a tokenizer's `decode`. It is given all that were drawn after the prompt, one at least. */
  readonly decode?: ((tokens: number[]) => string) | undefined;
  /** Ends the run between two tokens, or during one that the model then gives up. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each token when it is drawn. What it throws ends the run. */
  readonly onToken?: ((token: number) => void) | undefined;
}

/** How a run ended. */
export interface RunResult {
  /** `aborted`: by the signal, or because its iteration was left early. Another run goes on from there. */
  readonly reason: 'maxTokens' | 'eos' | 'stop' | 'aborted';
  /** Those that this run drew. */
  readonly tokens: readonly number[];
  /** The text of `stop` that was written. */
  readonly stop?: string;
  /** With `stop`: the text drawn after the prompt, up to where that begins. */
  readonly text?: string;
}

/** A run of a generator, made by {@link Generator.run}: awaited or iterated, once. */
export class Run implements AsyncIterable<number>, PromiseLike<RunResult> {
  readonly #generator: Generator;
  readonly #promptLength: number;
  readonly #limits: Limits;
  #isIterated = false;
  readonly #signal: AbortSignal | undefined;
  readonly #onToken: ((token: number) => void) | undefined;
  readonly #tokens: number[] = [];
  readonly #steps: AsyncGenerator<number, void, undefined>;
  /** How it ended; an iteration that is left early ends without a word. */
  #end: Omit<RunResult, 'tokens'> = { reason: 'aborted' };
  #failure: { readonly error: unknown } | undefined;

  /** @internal */
  constructor(generator: Generator, promptLength: number, options: RunOptions) {
    this.#generator = generator;
    this.#promptLength = promptLength;
    this.#limits = toLimits(options);
    this.#signal = options.signal;
    this.#onToken = options.onToken;
    this.#steps = this.#draw();
  }

  /** The tokens, each drawn when it is asked for. */
  [Symbol.asyncIterator](): AsyncIterator<number, void, undefined> {
    this.#isIterated = true;
    return this.#steps;
  }

  then<Result = RunResult, Failure = never>(
    onResult?: ((result: RunResult) => Result | PromiseLike<Result>) | null,
    onFailure?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#finish().then(onResult, onFailure);
  }

  /** Draws what is still to be drawn. */
  async #finish(): Promise<RunResult> {
    const { maxTokens, eosIds, stops } = this.#limits;
    const hasEnd = maxTokens < Infinity || eosIds.size > 0 || stops.length > 0;
    if (!hasEnd && !this.#signal && !this.#onToken && !this.#isIterated) {
      const detail = 'give it maxTokens, eosId, stop or signal, or iterate it and leave';
      throw new SamplerError('INVALID_RUN', { value: 'to be awaited without an end', detail });
    }
    while ((await this.#steps.next()).done !== true);
    if (this.#failure) throw this.#failure.error;
    return { ...this.#end, tokens: [...this.#tokens] };
  }

  async *#draw(): AsyncGenerator<number, void, undefined> {
    const { maxTokens, eosIds } = this.#limits;
    try {
      while (this.#signal?.aborted !== true) {
        if (this.#tokens.length >= maxTokens) {
          this.#end = { reason: 'maxTokens' };
          return;
        }
        const token = await this.#step();
        if (token === undefined) return;
        this.#tokens.push(token);
        this.#onToken?.(token);
        if (eosIds.has(token)) this.#end = { reason: 'eos' };
        else this.#end = this.#stopped() ?? this.#end;
        yield token;
        if (this.#end.reason !== 'aborted') return;
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Undefined when it was given up. */
  async #step(): Promise<number | undefined> {
    try {
      return await this.#generator.step({ signal: this.#signal });
    } catch (error) {
      if (this.#signal?.aborted === true) return undefined;
      throw error;
    }
  }

  /** Whether one of the stops ends with the last token. The earlier drawn text counts, since a run may begin within one. */
  #stopped(): Omit<RunResult, 'tokens'> | undefined {
    const { stops, decode } = this.#limits;
    if (stops.length === 0) return undefined;
    const drawn = this.#generator.tokens.slice(this.#promptLength);
    const text = decode(drawn);
    check(typeof text === 'string', 'decode gave', text, 'let it return the text of the tokens');
    // Of no tokens some tokenizers make no text but an error.
    const known = drawn.length > 1 ? sharedLength(decode(drawn.slice(0, -1)), text) : 0;
    const places = stops
      .map((stop) => ({ stop, at: text.indexOf(stop, Math.max(0, known - stop.length + 1)) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    const [first] = places;
    return first && { reason: 'stop', stop: first.stop, text: text.slice(0, first.at) };
  }
}

interface Limits {
  readonly maxTokens: number;
  readonly eosIds: ReadonlySet<number>;
  readonly stops: readonly string[];
  readonly decode: (tokens: number[]) => string;
}

function check(right: boolean, name: string, value: unknown, remedy: string): void {
  if (!right) throw new SamplerError('INVALID_RUN', { value: `${name} ${describe(value)}`, detail: remedy });
}

function toLimits(options: unknown): Limits {
  check(typeof options === 'object' && options !== null, 'the options', options, 'pass an object');
  const given = options as RunOptions;
  for (const name of Object.keys(given))
    check(names.includes(name), 'the option', name, `there are ${names.join(', ')}`);
  const { maxTokens = Infinity, eosId = [], stop = [], decode, signal, onToken } = given;
  const eosIds: readonly unknown[] = Array.isArray(eosId) ? eosId : [eosId];
  const stops: readonly unknown[] = Array.isArray(stop) ? stop : [stop];

  const whole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
  check(maxTokens === Infinity || whole(maxTokens), 'maxTokens', maxTokens, 'use a whole number of 0 or more');
  for (const id of eosIds) check(whole(id), 'eosId', id, 'use the number of a token, or several in an array');
  for (const text of stops) {
    check(
      typeof text === 'string' && text !== '',
      'stop',
      text,
      'use a text that is not empty, or several in an array',
    );
  }
  if (stops.length > 0) check(typeof decode === 'function', 'decode', decode, 'give a function from tokens to text');
  // Not instanceof: a signal may come from another window.
  const isSignal = signal === undefined || typeof (signal as Partial<AbortSignal> | null)?.aborted === 'boolean';
  check(isSignal, 'signal', signal, 'pass the signal of an AbortController');
  check(onToken === undefined || typeof onToken === 'function', 'onToken', onToken, 'give a function of a token');
  return {
    maxTokens,
    eosIds: new Set(eosIds as readonly number[]),
    stops: stops as readonly string[],
    decode: decode ?? (() => ''),
  };
}

const names = ['maxTokens', 'eosId', 'stop', 'decode', 'signal', 'onToken'];

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) ++length;
  return length;
}
