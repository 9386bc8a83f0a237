import type { Generator } from 'quillmate-sampler';
import { countTokens, growTake, isEnded, type Take } from './take';
import type { LoadedModel } from '../models/loaded-model';

/** A take that is being written. */
export interface Job {
  readonly take: Take;
  /** How many tokens it is to have. */
  readonly until: number;
  /** Stands where the take does. */
  readonly generator: Generator;
}

export interface Progress {
  /** The takes as they are now, in the order of the jobs. */
  readonly takes: readonly Take[];
  /** Tokens per second of each, once there are two tokens to measure between. */
  readonly pace: number | null;
}

/** In milliseconds: as fluent as reading needs, and time for the model that drawing the page more often would take. */
const timeBetweenShows = 100;

/**
 * Draws tokens for all jobs together until each has enough, the model closes it, or it is stopped, and shows them now and
 * then. When something fails, what was drawn is shown before it rejects.
 */
export async function drawTakes(
  engine: LoadedModel,
  jobs: readonly Job[],
  stopped: () => boolean,
  show: (progress: Progress) => void,
): Promise<Progress> {
  const pens = jobs.map(({ take, ...job }) => ({
    ...job,
    take,
    count: countTokens(take),
    ended: isEnded(engine, take),
  }));
  let firstAt: number | null = null;
  let roundsSince = 0;
  let shownAt = -Infinity;

  const progress = (moreToCome: boolean): Progress => {
    const elapsed = firstAt === null ? 0 : performance.now() - firstAt;
    return {
      takes: pens.map(({ take, generator }) => growTake(engine, take, generator.state(), moreToCome)),
      pace: roundsSince > 0 ? (1000 * roundsSince) / elapsed : null,
    };
  };

  try {
    for (;;) {
      const active = pens.filter(({ ended, count, until }) => !ended && count < until);
      if (active.length === 0 || stopped()) break;
      const tokens = await step(
        engine,
        active.map(({ generator }) => generator),
      );
      active.forEach((pen, i) => {
        pen.count += 1;
        pen.ended = tokens[i] === engine.model.eosTokenId;
      });
      // The first token waits for the model to read the story, which says nothing of its pace.
      if (firstAt === null) firstAt = performance.now();
      else roundsSince += 1;
      if (performance.now() - shownAt < timeBetweenShows) continue;
      shownAt = performance.now();
      show(progress(true));
    }
  } catch (error) {
    show(progress(true));
    throw error;
  }
  // Nothing more is coming, so what was held back of an unfinished character is shown.
  const last = progress(false);
  show(last);
  return last;
}

/** One alone fails with its own error. */
async function step(engine: LoadedModel, generators: readonly Generator[]): Promise<number[]> {
  const [only] = generators;
  return generators.length === 1 && only ? [await only.step()] : engine.sampler.stepBatch(generators);
}
