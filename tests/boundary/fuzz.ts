import { SamplerError, type Generator, type Sampler } from 'quillmate-sampler';
import { Choices, Mine, numberOf, rowOf, settingsOf, stateOf } from './hostile-values.js';

/** What a caller without types can do. */
type Untyped = Record<string, (...given: unknown[]) => unknown>;

const drawNames = ['temperature', 'topK', 'topP', 'u'];
const generatorNames = ['temperature', 'topK', 'topP', 'seed', 'audit'];

/**
 * Calls the whole surface with hostile values.
 * @returns how many calls were answered, and how many refused
 * Throws, with the seed and the number of the call, when one ends in anything but a right answer, a SamplerError or an error of
 * the caller's own; or when a call afterwards is answered wrongly.
 */
export async function fuzzBoundary(
  sampler: Sampler,
  seed: number,
  calls: number,
): Promise<{ answered: number; refused: number }> {
  const choices = new Choices(sampler, seed);
  const untyped = sampler as unknown as Untyped;
  const count = { answered: 0, refused: 0 };
  for (let call = 0; call < calls; ++call) {
    const place = `seed ${seed}, call ${call}`;
    try {
      await oneCall(sampler, untyped, choices, place);
      count.answered += 1;
    } catch (thrown) {
      if (!isRefusal(thrown)) throw new Error(`${place}: ${String(thrown)}`, { cause: thrown });
      count.refused += 1;
    }
    if (
      sampler.sampleToken([0, 1, 0], { temperature: 0, u: 0 }) !== 1 ||
      sampler.uniform(1, 0) !== 0.8902591757080309
    ) {
      throw new Error(`${place}: what came next was answered wrongly`);
    }
  }
  return count;
}

const isRefusal = (thrown: unknown): boolean => thrown instanceof SamplerError || thrown instanceof Mine;

function check(right: boolean, place: string, what: unknown): void {
  if (!right) throw new Error(`${place}: answered ${String(what)}`);
}

const isToken = (token: unknown, size: number): boolean =>
  typeof token === 'number' && Number.isInteger(token) && token >= 0 && token < size;

async function oneCall(sampler: Sampler, untyped: Untyped, choices: Choices, place: string): Promise<void> {
  const row = (): unknown => rowOf(sampler, choices);
  await choices.of<() => unknown>([
    () => {
      const token = untyped.sampleToken!(row(), settingsOf(sampler, choices, drawNames));
      check(isToken(token, 2 ** 28), place, token);
    },
    () => {
      const tokens = untyped.sampleBatch!(row(), numberOf(choices), settingsOf(sampler, choices, drawNames));
      check(tokens instanceof Int32Array && tokens.every((token) => isToken(token, 2 ** 28)), place, tokens);
    },
    () => {
      const settings = settingsOf(sampler, choices, drawNames.slice(0, 3));
      const { ids, probabilities } = untyped.distribution!(row(), settings) as ReturnType<Sampler['distribution']>;
      const total = probabilities.reduce((sum, one) => sum + one, 0);
      check(ids.length === probabilities.length && ids.length > 0 && Math.abs(total - 1) < 1e-9, place, total);
    },
    () => {
      const u = untyped.uniform!(numberOf(choices), numberOf(choices), numberOf(choices));
      check(typeof u === 'number' && u >= 0 && u < 1, place, u);
    },
    () => {
      const given = [row(), row(), numberOf(choices), numberOf(choices), numberOf(choices)];
      const { token } = untyped.speculativeStep!(...given) as { token: number };
      check(isToken(token, 2 ** 28), place, token);
    },
    () => {
      const { alpha } = untyped.emittedDistribution!(row(), row()) as { alpha: number };
      check(alpha >= 0 && alpha <= 1, place, alpha);
    },
    () => useGenerator(sampler, choices, place),
    () => untyped.stepBatch!(choices.of([numberOf(choices), [numberOf(choices)], new Set([row()])])),
    () => {
      const size = numberOf(choices);
      using taken = new sampler.LogitsRow(
        size as number,
        choices.of([undefined, 'float32', numberOf(choices)]) as undefined,
      );
      check(taken.view.length === size, place, taken.view.length);
    },
  ])();
}

/** A generator, made in one of its ways, then used in some; what a call refuses must have changed nothing. */
async function useGenerator(sampler: Sampler, choices: Choices, place: string): Promise<void> {
  const row = (): unknown => rowOf(sampler, choices);
  const model = choices.of([row, () => Promise.resolve(row()), row()]);
  const { Generator } = sampler as unknown as {
    Generator: (new (...given: unknown[]) => Generator) &
      Record<'fromState' | 'replay', (...given: unknown[]) => Generator>;
  };
  using generator = choices.of([
    () => new Generator(model, choices.of([[0], [], row()]), settingsOf(sampler, choices, generatorNames)),
    () => Generator.fromState(model, stateOf(sampler, choices)),
    () => Generator.replay(model, stateOf(sampler, choices)),
  ])();
  const uses = generator as unknown as Untyped;
  for (const use of ['step', 'draw', 'branch', 'state', 'step'] as const) {
    const before = JSON.stringify(generator.state());
    try {
      await uses[use]!(choices.of([row(), numberOf(choices)]), settingsOf(sampler, choices, ['seed']));
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      check(JSON.stringify(generator.state()) === before, place, `${use}, which was refused and changed the state`);
    }
  }
}
