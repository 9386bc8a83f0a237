import { describe, SamplerError } from './errors.js';
import { Generator } from './generator.js';

/** How one generator of a batch fared. */
export type StepOutcome =
  { readonly status: 'fulfilled'; readonly token: number } | { readonly status: 'rejected'; readonly error: unknown };

/** Some generators of a batch failed; they are as they were before, the others have advanced. */
export class StepBatchError extends SamplerError {
  override readonly name = 'StepBatchError';
  /** One for each generator, in the order of the batch. */
  readonly outcomes: readonly StepOutcome[];

  /** Of a batch some of whose outcomes are rejected. */
  constructor(outcomes: readonly StepOutcome[]) {
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.error] : []));
    const [first] = errors;
    super('BATCH_STEP_FAILED', {
      index: outcomes.findIndex(({ status }) => status === 'rejected'),
      value: String(errors.length),
      detail: textOf(first),
      cause: first,
    });
    this.outcomes = outcomes;
  }
}

/** @internal See Sampler.stepBatch. */
export async function stepBatch(generators: readonly Generator[]): Promise<number[]> {
  const settled = await Promise.allSettled(toBatch(generators).map(async (generator) => generator.step()));
  const tokens = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (tokens.length < settled.length) {
    throw new StepBatchError(
      settled.map((result) =>
        result.status === 'fulfilled'
          ? { status: 'fulfilled', token: result.value }
          : { status: 'rejected', error: result.reason as unknown },
      ),
    );
  }
  return tokens;
}

/** The generators, all of them checked before any is stepped. */
function toBatch(given: unknown): Generator[] {
  if (!isIterable(given)) {
    throw new SamplerError('INVALID_BATCH', { detail: `the batch is ${describe(given)}` });
  }
  const batch = new Set<Generator>();
  Array.from(given).forEach((element, index) => {
    const refusal = (what: string) =>
      new SamplerError('INVALID_BATCH', { index, detail: `element ${index} of the batch is ${what}` });
    if (!Generator.is(element)) throw refusal(`${describe(element)}, no generator`);
    if (batch.has(element)) throw refusal('there twice');
    batch.add(element);
  });
  return [...batch];
}

function isIterable(given: unknown): given is Iterable<unknown> {
  return typeof given === 'object' && given !== null && Symbol.iterator in given;
}

/** What a model threw, as text; it may be anything, even what cannot be turned into text. */
function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return describe(error);
  }
}
