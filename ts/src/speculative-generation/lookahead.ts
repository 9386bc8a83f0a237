import { certainRow } from '../certain-row.js';
import { describe, SamplerError } from '../errors.js';
import { isPromise, type Generator } from '../generator.js';
import { toRow, type LogitsInput } from '../logits.js';
import type { Model, ModelOptions } from '../model.js';
import type { Distribution, Sampler } from '../sampler.js';
import type { Draft, Guess } from './draft.js';
import { depthOf, type Plan } from './plan.js';

/** The models of a speculation. */
export interface SpeculationModels {
  /**
   * The model whose text is wanted. Guesses save time where it has `rows`; in mode `text`, one without `rows` is asked as by
   * a plain generator and nothing is guessed.
   */
  readonly target: Model;
  readonly draft: Draft;
}

/** How often guesses were right, since the generator was made. */
export interface Acceptance {
  /** So many tokens were guessed. */
  readonly proposed: number;
  /** So many of them were drawn. */
  readonly accepted: number;
  /** Their share, from 0 to 1; 0 where nothing was guessed. */
  readonly rate: number;
  /** How often the target was asked. */
  readonly evaluations: number;
}

/** A guessed token. */
interface Guessed {
  readonly token: number;
  /** What it was drawn from; undefined for one that was named. */
  readonly law: Law | undefined;
}

interface Law extends Distribution {
  readonly vocabSize: number;
}

/** Guesses that begin after a text, and the rows of that text and of each that a guess makes longer. */
interface Round {
  readonly text: readonly number[];
  readonly guesses: readonly Guessed[];
  /** Undefined where each is asked for in its turn. */
  readonly rows: readonly LogitsInput[] | undefined;
}

// What a random number is for; 0, a draw, is the generator's own.
const draw = 0;
const propose = 1;
const accept = 2;
const correct = 3;

/**
 * The model of a plain generator that speculates: it answers with the target's rows, many of which are there before the
 * generator asks, because the target evaluated guesses together with the text.
 *
 * In mode `distribution` the generator does not draw the tokens that were guessed: the row that it is given leaves
 * one, the guess or its correction. Each token then depends on the text before it, on the random numbers of its own
 * place and on whether it was to be guessed: on where the rounds begin, which is all that a state needs.
 */
export class Lookahead {
  readonly #sampler: Sampler;
  readonly #models: SpeculationModels;
  readonly #plan: Plan;
  readonly #generator: () => Generator;
  /** How long the text was at the beginning of each round. Undefined before the first. */
  #rounds: readonly number[] | undefined;
  #round: Round | undefined;
  #proposed = 0;
  #accepted = 0;
  #evaluations = 0;

  /**
   * @param rounds where those of the text begin that the generator has already; left out, the first begins at its end
   * @param generator the one that this is the model of, once it is made
   */
  constructor(
    sampler: Sampler,
    models: SpeculationModels,
    plan: Plan,
    rounds: readonly number[] | undefined,
    generator: () => Generator,
  ) {
    this.#sampler = sampler;
    this.#models = models;
    this.#plan = plan;
    this.#rounds = rounds;
    this.#generator = generator;
  }

  /** With the identity of all that decides the text. */
  get model(): Model {
    const { target, draft } = this.#models;
    const drafts = Object.entries(draft.identity ?? {}).map(([name, value]) => [`draft.${name}`, value]);
    const identity =
      this.#plan.mode === 'text' || target.identity === undefined
        ? target.identity
        : { ...target.identity, ...(Object.fromEntries(drafts) as Record<string, string>) };
    return Object.assign((tokens: readonly number[], options: ModelOptions) => this.#rowOf(tokens, options), {
      identity,
    });
  }

  /** Where the rounds begin whose tokens the text has, the last one being that of its next token. */
  roundsAt(tokens: readonly number[]): readonly number[] {
    if (this.#rounds === undefined) return [tokens.length];
    const over = this.#round !== undefined && !isWithin(this.#round, tokens);
    return over ? [...this.#rounds, tokens.length] : this.#rounds;
  }

  /** @param tokens the generator's */
  acceptanceAt(tokens: readonly number[]): Acceptance {
    const proposed = this.#proposed + (this.#round?.guesses.length ?? 0);
    const accepted = this.#accepted + (this.#round ? acceptedOf(this.#round, tokens) : 0);
    return { proposed, accepted, rate: proposed === 0 ? 0 : accepted / proposed, evaluations: this.#evaluations };
  }

  async #rowOf(tokens: readonly number[], options: ModelOptions): Promise<LogitsInput> {
    if (!this.#round || !isWithin(this.#round, tokens)) await this.#begin(tokens, options);
    const { text, guesses, rows } = this.#round ?? { text: tokens, guesses: [], rows: undefined };
    const index = tokens.length - text.length;
    const row = rows?.[index] ?? (await this.#ask(tokens, options));
    const guess = guesses[index];
    if (guess === undefined || this.#plan.mode === 'text') return row;
    return this.#checked(guess, row, tokens.length - options.promptLength);
  }

  /** Guesses and asks the target; nothing has changed when one of the two fails. */
  async #begin(tokens: readonly number[], options: ModelOptions): Promise<void> {
    const rounds = this.roundsAt(tokens);
    const guesses = await this.#guesses(tokens, rounds, options);
    const text = [...tokens, ...guesses.map(({ token }) => token)];
    const { target } = this.#models;
    const count = guesses.length + 1;
    const rows = count > 1 ? await target.rows?.(text, count, options) : undefined;
    if (rows !== undefined) {
      if (rows.length !== count) {
        throw new SamplerError('WRONG_LENGTH', {
          detail: `the model gave ${rows.length} rows where ${count} were asked for`,
        });
      }
      this.#evaluations += 1;
    }
    const before = this.#round;
    this.#proposed += before?.guesses.length ?? 0;
    this.#accepted += before ? acceptedOf(before, tokens) : 0;
    this.#rounds = rounds;
    this.#round = { text: tokens, guesses, rows };
  }

  async #guesses(tokens: readonly number[], rounds: readonly number[], options: ModelOptions): Promise<Guessed[]> {
    const { mode, stopIds } = this.#plan;
    if (mode === 'text' && this.#models.target.rows === undefined) return []; // they would be of no use
    const done = tokens.length - (rounds.at(-1) ?? 0);
    const ends = (token: number | undefined): boolean => token !== undefined && stopIds.includes(token);
    if (done > 0 && ends(tokens.at(-1))) return [];
    const most = depthOf(this.#plan, rounds.length - 1) - done;
    const guesses: Guessed[] = [];
    while (guesses.length < most && !ends(guesses.at(-1)?.token)) {
      const guess = await this.#guess([...tokens, ...guesses.map(({ token }) => token)], options);
      if (guess === undefined) break;
      guesses.push(guess);
    }
    return guesses;
  }

  async #guess(text: readonly number[], options: ModelOptions): Promise<Guessed | undefined> {
    const { draft } = this.#models;
    const answer = draft([...text], options);
    const guess = isPromise<Guess>(answer) ? await answer : answer;
    if (guess === undefined) return undefined;
    if (typeof guess === 'number') {
      if (!Number.isInteger(guess) || guess < 0) {
        throw new SamplerError('INVALID_TOKEN', { index: text.length, value: describe(guess), detail: 'the draft' });
      }
      return { token: guess, law: undefined };
    }
    const { seed, settings } = this.#generator();
    const isText = this.#plan.mode === 'text';
    // In mode `text` the number is the target's own: the more alike the laws, the more often both draw the same.
    const u = this.#sampler.uniform(seed, text.length - options.promptLength, isText ? draw : propose);
    const token = this.#sampler.sampleToken(guess, { ...settings, u });
    const law = isText
      ? undefined
      : { ...this.#sampler.distribution(guess, settings), vocabSize: toRow(guess).elements.length };
    return { token, law };
  }

  async #ask(tokens: readonly number[], options: ModelOptions): Promise<LogitsInput> {
    const { target } = this.#models;
    const answer = target([...tokens], options);
    // One that is there may be another before the generator sees it.
    const row = isPromise(answer) ? await answer : copyOf(answer);
    this.#evaluations += 1;
    return row;
  }

  /** A row that leaves the guess, or the token in its place. */
  #checked({ token, law }: Guessed, row: LogitsInput, step: number): LogitsInput {
    const { seed, settings } = this.#generator();
    const size = toRow(row).elements.length;
    if (law && law.vocabSize !== size) {
      throw new SamplerError('WRONG_LENGTH', {
        detail: `the draft's rows have ${law.vocabSize} logits, the target's ${size}`,
      });
    }
    const p = weightsOf(this.#sampler.distribution(row, settings), size);
    const q = weightsOf(law ?? { ids: Int32Array.of(token), probabilities: Float64Array.of(1) }, size);
    const number = (stream: number): number => this.#sampler.uniform(seed, step, stream);
    return certainRow(this.#sampler.speculativeStep(p, q, token, number(accept), number(correct)).token, size);
  }
}

/** Whether the round has the next token of this text: all that came after its beginning are its guesses. */
function isWithin(round: Round, tokens: readonly number[]): boolean {
  return (
    tokens.length >= round.text.length &&
    round.text.every((token, index) => token === tokens[index]) &&
    acceptedOf(round, tokens) === tokens.length - round.text.length
  );
}

/** How many of a round's guesses the text has. */
function acceptedOf({ text, guesses }: Round, tokens: readonly number[]): number {
  const wrong = guesses.findIndex(({ token }, index) => token !== tokens[text.length + index]);
  return wrong < 0 ? guesses.length : wrong;
}

function copyOf(row: LogitsInput): LogitsInput {
  const { type, elements } = toRow(row);
  const copy = elements.slice();
  return copy instanceof Uint16Array ? ({ type, data: copy } as LogitsInput) : copy;
}

function weightsOf({ ids, probabilities }: Distribution, size: number): Float64Array {
  const weights = new Float64Array(size);
  ids.forEach((id, index) => {
    weights[id] = probabilities[index] ?? 0;
  });
  return weights;
}
