import { describe, SamplerError } from '../errors.js';

/**
 * What a guess is checked against. `text`: the token that the target would draw there by itself, so that the text is the
 * one without a draft. `distribution`: the ratio of the two laws, so that more guesses stand; the text follows the
 * target's law, and is another one.
 */
export type SpeculationMode = 'text' | 'distribution';

/** How a generator speculates. */
export interface SpeculationOptions {
  /** Default `text`. */
  readonly mode?: SpeculationMode | undefined;
  /**
   * So many tokens are guessed before the target is asked, from 1 to 5; or a list of such numbers, where 0 is allowed too,
   * one a round and then from its beginning again. Default 4. A round is shorter where the draft has no idea.
   */
  readonly depth?: number | readonly number[] | undefined;
  /** Tokens that end a text: after one of them nothing is guessed. */
  readonly stopIds?: readonly number[] | undefined;
}

export const planNames: readonly string[] = ['mode', 'depth', 'stopIds'];

/** {@link SpeculationOptions}, checked, with nothing left out. */
export interface Plan {
  readonly mode: SpeculationMode;
  readonly depth: readonly number[];
  readonly stopIds: readonly number[];
}

const deepest = 5;

/** Throws a SamplerError INVALID_RUN. */
export function toPlan({ mode = 'text', depth = 4, stopIds = [] }: SpeculationOptions): Plan {
  const check = (right: boolean, value: string, detail: string): void => {
    if (!right) throw new SamplerError('INVALID_RUN', { value, detail });
  };
  check(['text', 'distribution'].includes(mode), `mode ${describe(mode)}`, "use 'text' or 'distribution'");
  const whole = (value: unknown, from: number, to: number): boolean =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
  const depths: readonly unknown[] = Array.isArray(depth) ? depth : [depth];
  const least = Array.isArray(depth) ? 0 : 1;
  check(depths.length > 0, 'an empty list as depth', `use 1 to ${deepest}, or a list of 0 to ${deepest}`);
  for (const value of depths) {
    check(
      whole(value, least, deepest),
      `depth ${describe(value)}`,
      `use 1 to ${deepest}, or a list of 0 to ${deepest}`,
    );
  }
  check(Array.isArray(stopIds), `stopIds ${describe(stopIds)}`, 'use a list of tokens');
  for (const id of stopIds) check(whole(id, 0, Infinity), `stopIds ${describe(id)}`, 'use a list of tokens');
  return { mode, depth: depths as readonly number[], stopIds: [...stopIds] };
}

/** How many tokens the round of this index guesses at most. */
export function depthOf({ depth }: Plan, round: number): number {
  return depth[round % depth.length] ?? 0;
}
