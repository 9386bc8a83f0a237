import type { Generator, ModelIdentity } from 'quillmate-sampler';
import { words } from '../words';
import { beginsWith, countTokens, isEnded, type Take } from './take';
import type { LoadedModel } from '../models/loaded-model';

/** How a run ended. */
export function outcomeOfRun(engine: LoadedModel, takes: readonly Take[], pace: number | null): string {
  const [take] = takes;
  if (!take) return '';
  if (takes.length > 1) {
    const all = takes.every((take) => isEnded(engine, take) || countTokens(take) >= take.wanted);
    return all ? words.status.severalDone(takes.length) : words.status.severalStopped(takes.length);
  }
  if (isEnded(engine, take)) return words.status.ended;
  const count = countTokens(take);
  return count < take.wanted ? words.status.stopped(count, take.wanted) : words.status.done(count, pace);
}

/** Whether a shared passage came out as it was shared. */
export function outcomeOfShared(
  written: Take,
  tokens: number,
  model: ModelIdentity | null,
  chain: string | null,
): string {
  const now: ModelIdentity = written.state.model ?? {};
  const before: ModelIdentity = model ?? {};
  const fields = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter(
    (name) => now[name] !== before[name],
  );
  if (fields.length > 0) return words.share.otherModel(fields);
  if (countTokens(written) < tokens) return words.share.stopped;
  return chain !== null && written.state.audit?.chain === chain ? words.share.same : words.share.otherNumbers;
}

/** What a passage that was written again shows of the model. */
export function outcomeOfReplay(replay: Generator, original: Take, again: Take): string {
  const { mismatch, identityChanges } = replay;
  const count = countTokens(again);
  const same = beginsWith(original.state.tokens, again.state.tokens);
  const fields = identityChanges.map(({ field }) => field);
  if (same && !mismatch) return words.status.same(count, countTokens(original));
  const at = mismatch ? mismatch.first - original.begin + 1 : null;
  return same ? words.status.sameDespite(at, fields) : words.status.other(at, fields);
}
