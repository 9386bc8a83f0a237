import { describe, SamplerError } from '../errors.js';
import { toOptions } from '../settings.js';
import {
  checkModel,
  checkTokens,
  isDepth,
  toContextId,
  toStopIds,
  toTokens,
  type Block,
  type LawModel,
  type Proposal,
  type ProposalOptions,
} from './block.js';
import type { Laws } from './laws.js';
import { RandomStreams, toOwner, type Owner } from './random-streams.js';

/** What a block came to. */
export interface BlockResult {
  /** What is emitted: the accepted prefix, then a correction or, but for a stop id, a bonus. */
  readonly tokens: readonly number[];
  readonly acceptedDrafts: number;
  readonly rejected: boolean;
  /** Whether a stop id has ended the text. */
  readonly stopped: boolean;
}

/** The text of one request, which grows by what blocks emit. */
export class Verifier<Law> {
  readonly #laws: Laws<Law>;
  readonly #owner: Readonly<{ requestId: string; generation: bigint }>;
  readonly #contextId: string;
  readonly #stopIds: readonly number[];
  #prefix: readonly number[];
  #lastRound = -1n;
  #stopped = false;
  /** What is under way or has failed. */
  #pending: symbol | undefined;

  /** Errors: INVALID_OWNER (also an empty context id), INVALID_TOKEN. */
  constructor(laws: Laws<Law>, owner: Owner, prefix: readonly number[], options: Omit<ProposalOptions, 'depth'>) {
    const { contextId, stopIds } = toOptions(options, optionsKind);
    this.#laws = laws;
    this.#owner = toOwner(owner);
    this.#prefix = toTokens(prefix, 'the prefix');
    this.#contextId = toContextId(contextId);
    this.#stopIds = toStopIds(stopIds);
  }

  /** The text so far. */
  get prefix(): readonly number[] {
    return this.#prefix;
  }

  /** Whether a stop id has ended the text. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether a verification failed, or is under way, and none can begin. */
  get failed(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Checks each draft token in turn, with the numbers for acceptance and correction at its position, then draws a bonus with
   * the correction stream at the position after the block.
   *
   * Rejects with a SamplerError. Without any change: VERIFIER_STOPPED, VERIFIER_FAILED (also while another is under way),
   * FOREIGN_BLOCK (owner), STALE_BLOCK (round, prefix, context or stop ids), INVALID_BLOCK (depth, proposals), INVALID_TOKEN,
   * DRAFT_WITHOUT_MASS, WRONG_LENGTH (vocabularies), INVALID_MODEL. Whatever goes wrong after that, in the target's model
   * (with its own error) or in its law, uses the round up and fails the verifier: the text stays as it was, and
   * {@link reset} must come first.
   */
  async verify(block: Block<Law>, streams: RandomStreams, target: LawModel<Law>): Promise<BlockResult> {
    const proposals = this.#check(block, streams);
    checkModel(target);
    const laws = this.#laws;
    const vocabSize = laws.vocabSize(proposals[0].q);
    const run = Symbol();
    this.#pending = run;
    this.#lastRound = streams.round;
    const tokens: number[] = [];
    // The target's law after what is emitted so far; whoever called reset() meanwhile has given this up.
    const next = async (): Promise<Law> => {
      const law = await target([...this.#prefix, ...tokens]);
      if (this.#pending !== run) throw new SamplerError('VERIFIER_FAILED');
      const p = laws.toLaw(law);
      if (laws.vocabSize(p) !== vocabSize) throw vocabularies();
      return p;
    };
    let acceptedDrafts = 0;
    const ended = () => tokens.length > acceptedDrafts || this.#stopIds.includes(tokens.at(-1) ?? -1);
    for (const { token, q } of proposals) {
      const p = await next();
      const step = laws.speculate(p, q, token, streams, tokens.length);
      tokens.push(step.token);
      if (step.accepted) acceptedDrafts += 1;
      if (ended()) break;
    }
    const rejected = tokens.length > acceptedDrafts;
    if (!ended()) {
      const p = await next();
      tokens.push(laws.draw(p, streams.correction, tokens.length));
    }
    this.#prefix = Object.freeze([...this.#prefix, ...tokens]);
    this.#stopped = this.#stopIds.includes(tokens.at(-1) ?? -1);
    this.#pending = undefined;
    return Object.freeze({ tokens: Object.freeze(tokens), acceptedDrafts, rejected, stopped: this.#stopped });
  }

  /**
   * After a failure: the text is as before the block that failed, whose round is used up. A verification that is under way is
   * given up, and rejects with VERIFIER_FAILED.
   */
  reset(): void {
    this.#pending = undefined;
  }

  /** The block's proposals, copied; refuses whatever is not for this text. */
  #check(block: Block<Law>, streams: RandomStreams): [Proposal<Law>, ...Proposal<Law>[]] {
    if (this.#stopped) throw new SamplerError('VERIFIER_STOPPED');
    if (this.#pending) throw new SamplerError('VERIFIER_FAILED');
    const invalid = (detail: string) => new SamplerError('INVALID_BLOCK', { detail });
    if (typeof (block as unknown) !== 'object') throw invalid(`is ${describe(block)}`);
    const { owner, round, prefix, contextId, fixedDepth, proposals: given, stopIds } = toOptions(block);
    if (!this.#owns(owner)) throw new SamplerError('FOREIGN_BLOCK', { detail: 'block' });
    if (!(streams instanceof RandomStreams) || !this.#owns(streams.owner)) {
      throw new SamplerError('FOREIGN_BLOCK', { detail: 'source of random numbers' });
    }
    const stale = (detail: string) => new SamplerError('STALE_BLOCK', { detail });
    if (round !== streams.round || streams.round <= this.#lastRound) throw stale('round');
    if (!same(prefix, this.#prefix)) throw stale('prefix');
    if (contextId !== this.#contextId) throw stale('context');
    if (!same(toStopIds(stopIds), this.#stopIds)) throw stale('set of stop ids');
    if (!isDepth(fixedDepth) || !Array.isArray(given) || given.length > fixedDepth) {
      throw invalid('has the wrong number of tokens for its depth');
    }
    const [first, ...others] = given.map(({ token, q }: Proposal<Law>) => ({ token, q: this.#laws.toLaw(q) }));
    if (first === undefined) throw invalid('has the wrong number of tokens for its depth');
    const proposals: [Proposal<Law>, ...Proposal<Law>[]] = [first, ...others];
    if (proposals.length !== fixedDepth && !this.#stopIds.includes((others.at(-1) ?? first).token)) {
      throw invalid('is shorter than its depth without a stop id at its end');
    }
    const vocabSize = this.#laws.vocabSize(first.q);
    for (const { token, q } of proposals) {
      if (this.#laws.vocabSize(q) !== vocabSize) throw vocabularies();
      if (!this.#laws.hasMass(q, token)) {
        throw new SamplerError('DRAFT_WITHOUT_MASS', { index: token, value: describe(token) });
      }
    }
    checkTokens(this.#prefix, vocabSize, 'the prefix');
    checkTokens(this.#stopIds, vocabSize, 'the stop ids');
    return proposals;
  }

  #owns(owner: Owner | undefined): boolean {
    return owner?.requestId === this.#owner.requestId && owner.generation === this.#owner.generation;
  }
}

const optionsKind = { code: 'INVALID_OWNER', what: 'the options are', example: "{ contextId: 'a' }" } as const;

const same = (a: readonly number[] | undefined, b: readonly number[]): boolean =>
  a?.length === b.length && a.every((token, index) => token === b[index]);

const vocabularies = () =>
  new SamplerError('WRONG_LENGTH', { detail: "the block's laws and the target's have different vocabularies" });
