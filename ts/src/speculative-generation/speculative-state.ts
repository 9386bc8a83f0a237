import { describe, SamplerError } from '../errors.js';
import type { GeneratorState } from '../generator-state.js';
import { depthOf, toPlan, type Plan, type SpeculationMode, type SpeculationOptions } from './plan.js';

/** All that a later process needs to go on with a speculating generator: plain JSON. */
export interface SpeculativeState {
  format: 'quillmate-speculation';
  version: 1;
  mode: SpeculationMode;
  depth: number[];
  stopIds: number[];
  /** How long the text was at the beginning of each round; the last one has the next token. */
  rounds: number[];
  /** In mode `text`: with which a plain generator goes on just as well. */
  generator: GeneratorState;
}

/**
 * Reads a state or its text; a plain generator's state is taken into one of mode `text`. What it says of the generator is
 * for `Generator.fromState` to check.
 *
 * Throws a SamplerError: STATE_NOT_JSON, STATE_FOREIGN_FORMAT, STATE_UNKNOWN_VERSION, STATE_INCONSISTENT.
 */
export function readState(given: unknown, options: SpeculationOptions): SpeculativeState {
  const state = (typeof given === 'string' ? parse(given) : given) as Partial<SpeculativeState | GeneratorState> | null;
  if (state?.format === 'quillmate-generator') return adopted(state as GeneratorState, options);
  if (state?.format !== 'quillmate-speculation') {
    throw new SamplerError('STATE_FOREIGN_FORMAT', { value: describe(state?.format), detail: 'format' });
  }
  if (state.version !== 1) throw new SamplerError('STATE_UNKNOWN_VERSION', { value: describe(state.version) });
  checkPlaces(state as SpeculativeState);
  return state as SpeculativeState;
}

function adopted(generator: GeneratorState, options: SpeculationOptions): SpeculativeState {
  const tokens = generator.tokens as number[] | undefined;
  return stateOf(toPlan({ ...options, mode: 'text' }), [tokens?.length ?? 0], generator);
}

/** A state with copies of the plan's lists. */
export function stateOf({ mode, depth, stopIds }: Plan, rounds: number[], generator: GeneratorState): SpeculativeState {
  return {
    format: 'quillmate-speculation',
    version: 1,
    mode,
    depth: [...depth],
    stopIds: [...stopIds],
    rounds,
    generator,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SamplerError('STATE_NOT_JSON', { index: 0, detail: 'it cannot be parsed', cause });
  }
}

function checkPlaces(state: SpeculativeState): void {
  const refusal = (detail: string, cause?: unknown) => new SamplerError('STATE_INCONSISTENT', { detail, cause });
  const { rounds, generator } = state as { rounds?: unknown; generator?: Partial<GeneratorState> | null };
  const length = generator?.tokens?.length;
  const promptLength = generator?.promptLength;
  if (length === undefined || promptLength === undefined) throw refusal('it has no generator');
  for (const name of ['mode', 'depth', 'stopIds'] as const) {
    if ((state as Partial<SpeculativeState>)[name] === undefined) throw refusal(`it has no ${name}`);
  }
  try {
    const plan = toPlan(state);
    if (!Array.isArray(state.depth)) throw refusal('depth is no list');
    if (!Array.isArray(rounds) || rounds.length === 0) throw refusal('rounds is no list');
    const places: readonly unknown[] = [...(rounds as unknown[]), length + 1];
    places.forEach((place, index) => {
      const before = index === 0 ? undefined : (places[index - 1] as number);
      const [from, to] =
        before === undefined ? [promptLength, length] : [before + 1, before + 1 + depthOf(plan, index - 1)];
      if (!Number.isInteger(place) || (place as number) < from || (place as number) > to) {
        throw refusal(`a round begins at ${describe(place)}, where ${from} to ${to} is possible`);
      }
    });
  } catch (thrown) {
    if (thrown instanceof SamplerError && thrown.code === 'INVALID_RUN') throw refusal(thrown.message, thrown);
    throw thrown;
  }
}
