import { describe, SamplerError } from '../errors.js';
import { toOptions } from '../settings.js';
import type { Laws } from './laws.js';
import { RandomStreams, type Owner } from './random-streams.js';

/** A draft token, and the law that it was drawn from. */
export interface Proposal<Law> {
  readonly token: number;
  readonly q: Law;
}

/** Draft tokens for a text, made by {@link propose} and checked by a `Verifier`. */
export interface Block<Law> {
  readonly owner: Owner;
  readonly round: bigint;
  /** The text that it goes on from. */
  readonly prefix: readonly number[];
  /** The models and processors that it was made for. */
  readonly contextId: string;
  /** How many tokens it was to have. */
  readonly fixedDepth: number;
  readonly proposals: readonly Proposal<Law>[];
  readonly stopIds: readonly number[];
}

/**
 * The law of the token that comes after a text, at once or as a promise. It must be a pure function of the text, processors
 * included. The list is a copy, the model's to keep.
 */
export type LawModel<Law> = (prefix: readonly number[]) => Law | Promise<Law>;

/** How a block is proposed. */
export interface ProposalOptions {
  /** From 1 to 5, fixed before anything is drawn; a block is shorter only when a stop id was drawn. */
  readonly depth: number;
  /** Names the models and processors; not empty. */
  readonly contextId: string;
  readonly stopIds?: readonly number[] | undefined;
}

const proposalKind = {
  code: 'INVALID_DEPTH',
  what: 'the options are',
  example: "{ depth: 3, contextId: 'a' }",
} as const;

/**
 * A block of draft tokens, each drawn with the proposal stream at its position in the block. Nothing is changed by it: where the
 * model fails, with its own error, it can be called again.
 *
 * Rejects with a SamplerError: INVALID_DEPTH, INVALID_OWNER (no streams, an empty context id), INVALID_TOKEN (the prefix or a
 * stop id outside the vocabulary), INVALID_MODEL, MODEL_FAILED (what it gave is no law), the law's own.
 */
export async function propose<Law>(
  laws: Laws<Law>,
  model: LawModel<Law>,
  prefix: readonly number[],
  streams: RandomStreams,
  options: ProposalOptions,
): Promise<Block<Law>> {
  const { depth, contextId, stopIds: stops } = toOptions(options, proposalKind);
  if (depth === undefined || !isDepth(depth)) throw new SamplerError('INVALID_DEPTH', { value: describe(depth) });
  const context = toContextId(contextId);
  const stopIds = toStopIds(stops);
  if (!(streams instanceof RandomStreams)) {
    throw new SamplerError('INVALID_OWNER', { value: describe(streams), detail: "random streams' owner" });
  }
  checkModel(model);
  const text = toTokens(prefix, 'the prefix');
  const proposals: Proposal<Law>[] = [];
  const current = [...text];
  for (let position = 0; position < depth; ++position) {
    const q = laws.toLaw(await model([...current]));
    checkTokens(current, laws.vocabSize(q), 'the prefix');
    checkTokens(stopIds, laws.vocabSize(q), 'the stop ids');
    const token = laws.draw(q, streams.proposal, position);
    proposals.push(Object.freeze({ token, q }));
    current.push(token);
    if (stopIds.includes(token)) break;
  }
  return Object.freeze({
    owner: streams.owner,
    round: streams.round,
    prefix: text,
    contextId: context,
    fixedDepth: depth,
    proposals: Object.freeze(proposals),
    stopIds,
  });
}

/** @internal */
export const isDepth = (depth: unknown): depth is number =>
  typeof depth === 'number' && Number.isInteger(depth) && depth >= 1 && depth <= 5;

/** @internal */
export function checkModel(model: unknown): void {
  if (typeof model !== 'function') throw new SamplerError('INVALID_MODEL', { value: describe(model) });
}

/** @internal */
export function toContextId(given: unknown): string {
  if (typeof given === 'string' && given !== '') return given;
  throw new SamplerError('INVALID_OWNER', { value: describe(given), detail: 'context id' });
}

/** @internal A copy. */
export function toTokens(given: unknown, detail: string): readonly number[] {
  if (!Array.isArray(given)) throw new SamplerError('INVALID_TOKEN', { index: 0, value: describe(given), detail });
  return Object.freeze(checkTokens(given, Infinity, detail));
}

/** @internal A copy, each id once, ascending. */
export function toStopIds(given: unknown): readonly number[] {
  const ids = toTokens(given ?? [], 'the stop ids');
  return Object.freeze([...new Set(ids)].sort((a, b) => a - b));
}

/** @internal A copy of them. */
export function checkTokens(tokens: readonly unknown[], vocabSize: number, detail: string): number[] {
  return Array.from(tokens, (token, index) => {
    if (typeof token === 'number' && Number.isInteger(token) && token >= 0 && token < vocabSize) return token;
    throw new SamplerError('INVALID_TOKEN', { index, value: describe(token), detail });
  });
}
