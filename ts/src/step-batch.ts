import { SamplerError } from './errors.js';
import type { Generator } from './generator.js';

/** How one generator of a batch fared. */
export type StepOutcome =
  { readonly status: 'fulfilled'; readonly token: number } | { readonly status: 'rejected'; readonly error: unknown };

/** Some generators of a batch failed; they are as they were before, the others have advanced. */
export class StepBatchError extends SamplerError {
  override readonly name = 'StepBatchError';
  /** One for each generator, in the order of the batch. */
  readonly outcomes: readonly StepOutcome[];

  constructor(outcomes: readonly StepOutcome[]) {
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.error] : []));
    const [first] = errors;
    super('BATCH_STEP_FAILED', {
      index: outcomes.findIndex(({ status }) => status === 'rejected'),
      value: String(errors.length),
      detail: first instanceof Error ? first.message : String(first),
      cause: first,
    });
    this.outcomes = outcomes;
  }
}

/** @internal See Sampler.stepBatch. */
export async function stepBatch(generators: readonly Generator[]): Promise<number[]> {
  const settled = await Promise.allSettled(generators.map(async (generator) => generator.step()));
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
