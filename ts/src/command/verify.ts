import { stdout } from 'node:process';
import { loadSampler, type GeneratorState, type Mismatch } from 'quillmate-sampler';
import type { VerifyRequest } from './arguments.js';
import { CommandFailure, exitCodes, type ExitCode } from './failure.js';
import { openModel } from './model-folder.js';
import { Progress } from './progress.js';
import { readState } from './state-file.js';

interface Verdict {
  /** Every token is the same, and so are the model's numbers, as far as the audit recorded them. */
  readonly same: boolean;
  /** How many tokens were drawn again. */
  readonly tokens: number;
  /** Index into the text of the first token that came out differently. */
  readonly differentToken: number | null;
  /** Where the model's numbers changed. */
  readonly mismatch: Mismatch | null;
  readonly audit: 'off' | 'light' | 'full';
}

/** Writes a state's text again and compares. */
export async function verify(request: VerifyRequest, signal: AbortSignal): Promise<ExitCode> {
  const progress = new Progress(request.quiet);
  const json = await readState(request.state);
  const sampler = await loadSampler();
  sampler.Generator.replay(() => [], json).dispose(); // what is wrong is told before the model is loaded
  using model = await openModel(request, progress, signal);
  using replay = sampler.Generator.replay(model, json);
  const { tokens, promptLength, audit } = JSON.parse(json) as GeneratorState;
  let differentToken: number | null = null;
  while (differentToken === null && replay.tokens.length < tokens.length) {
    const index = replay.tokens.length;
    progress.show(`token ${index} of ${tokens.length}`);
    if (signal.aborted) throw new CommandFailure('interrupted', exitCodes.interrupted);
    if ((await replay.step({ signal })) !== tokens[index]) differentToken = index;
  }
  const mismatch = replay.mismatch ?? null;
  const verdict: Verdict = {
    same: differentToken === null && mismatch === null,
    tokens: replay.tokens.length - promptLength,
    differentToken,
    mismatch,
    audit: audit === undefined ? 'off' : audit.rows === undefined ? 'light' : 'full',
  };
  progress.clear();
  stdout.write(request.json ? `${JSON.stringify(verdict)}\n` : `${sentence(verdict)}\n`);
  return verdict.same ? exitCodes.done : exitCodes.different;
}

function sentence({ same, tokens, differentToken, mismatch, audit }: Verdict): string {
  if (same)
    return `the same ${tokens} tokens, audit ${audit}${audit === 'off' ? ': only the tokens were compared' : ''}`;
  const faults: string[] = [];
  if (mismatch !== null) {
    const { first, last, identityChanges } = mismatch;
    const changes = identityChanges.map(({ field, before, now }) => `${field} was ${before ?? '-'}, is ${now ?? '-'}`);
    const cause = changes.length > 0 ? changes.join('; ') : 'its identity is the same: the machine computes otherwise';
    faults.push(`the model's numbers changed at token ${first === last ? first : `${first} to ${last}`} (${cause})`);
  }
  if (differentToken !== null) faults.push(`token ${differentToken} is another one`);
  return faults.join('; ');
}
