import { loadSampler, type AuditMode } from 'quillmate-sampler';
import { loadModel, type ModelRow } from 'quillmate-sampler/onnxruntime';
import { openStore } from 'quillmate-sampler/store';

/** In milliseconds: of the tokens of a text the middle one, or the mean in the fastest of some rounds over that text. */
export interface TimePerToken {
  /** Until the model's row was there. */
  readonly model: number;
  /** From there to the token. */
  readonly sampling: number;
  /** How much longer that takes with a full audit. */
  readonly hashing: number;
  /** Until text and state were stored, where there is a store. */
  readonly saving: number | undefined;
}

const count = 200;
const rounds = 31;

/** Writes a text after its prompt, and looks at the clock. */
export async function timePerToken(
  modelUrl: string,
  threads: number,
  prompt: readonly number[],
): Promise<TimePerToken> {
  const sampler = await loadSampler();
  const model = await loadModel({ url: modelUrl, threads });
  const store = 'indexedDB' in globalThis ? await openStore({ name: 'time-per-token' }) : undefined;
  const begin = (audit: AuditMode) =>
    new sampler.Generator(model, prompt, { seed: 1, temperature: 0.8, topP: 0.95, audit });

  const rows: ModelRow[] = [];
  const modelTimes: number[] = [];
  const savingTimes: number[] = [];
  const generator = begin('off');
  for (let step = 0; step < count; step++) {
    const tokens = generator.tokens;
    const start = performance.now();
    const row = await model(tokens, { promptLength: prompt.length });
    modelTimes.push(performance.now() - start);
    rows.push(row);
    generator.draw(row);
    const drawn = performance.now();
    await store?.save({ id: 'text', text: String(tokens), state: generator.state() });
    savingTimes.push(performance.now() - drawn);
  }

  // All of the text again and again: a single draw is shorter than some clocks tell.
  const drawingTimes = { off: [] as number[], full: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const audit of ['off', 'full'] as const) {
      const again = begin(audit);
      const start = performance.now();
      for (const row of rows) again.draw(row);
      drawingTimes[audit].push((performance.now() - start) / count);
      again.dispose();
    }
  }
  generator.dispose();
  model.dispose();
  store?.close();
  const sampling = Math.min(...drawingTimes.off);
  return {
    model: median(modelTimes),
    sampling,
    hashing: Math.min(...drawingTimes.full) - sampling,
    saving: store && median(savingTimes),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
