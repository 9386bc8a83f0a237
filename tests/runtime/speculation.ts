import { loadSampler, type Sampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { SpeculativeGenerator, suffixLookup } from 'quillmate-sampler/speculative';

/** What speculation with the text itself as the draft made of some texts. */
export interface SpeculationReport {
  /** Of which the times are: each text's but its first. */
  readonly tokens: number;
  /** Of the plain generator, in milliseconds. */
  readonly plainTime: number;
  readonly depths: readonly DepthReport[];
}

export interface DepthReport {
  readonly depth: number;
  readonly time: number;
  readonly proposed: number;
  readonly accepted: number;
  /** How often the target was asked. */
  readonly evaluations: number;
  /** The prompts, by index, whose text was not that of the plain generator. */
  readonly different: readonly number[];
}

/**
 * Writes each text plainly and, in mode `text`, with each depth: one text after the other, so that a machine with other
 * work is as slow for all of them.
 */
export async function speculate(
  modelUrl: string,
  prompts: readonly (readonly number[])[],
  count: number,
  depths: readonly number[],
  temperature: number,
): Promise<SpeculationReport> {
  const sampler = await loadSampler();
  const model = await loadModel({ url: modelUrl });
  const plan = { sampler, model, count, temperature };
  try {
    // Until an engine has optimised the runtime, it takes its time.
    for (const prompt of prompts.slice(0, 5)) await write(plan, prompt, 0, 4);
    let plainTime = 0;
    const reports = depths.map((depth) => {
      return { depth, time: 0, proposed: 0, accepted: 0, evaluations: 0, different: [] as number[] };
    });
    for (const [index, prompt] of prompts.entries()) {
      const plain = await write(plan, prompt, index);
      plainTime += plain.time;
      for (const report of reports) {
        const { text, time, acceptance } = await write(plan, prompt, index, report.depth);
        report.time += time;
        report.proposed += acceptance?.proposed ?? 0;
        report.accepted += acceptance?.accepted ?? 0;
        report.evaluations += acceptance?.evaluations ?? 0;
        if (text !== plain.text) report.different.push(index);
      }
    }
    return { tokens: prompts.length * (count - 1), plainTime, depths: reports };
  } finally {
    model.dispose();
  }
}

interface WritingPlan {
  readonly sampler: Sampler;
  readonly model: OnnxModel;
  readonly count: number;
  readonly temperature: number;
}

/** @param depth left out, by a plain generator */
async function write(
  { sampler, model, count, temperature }: WritingPlan,
  prompt: readonly number[],
  seed: number,
  depth?: number,
) {
  for (let token = 4000; token < 4008; token++) await model([token]); // it remembers 8 texts
  const settings = { temperature, topP: 0.95, seed };
  const models = { target: model, draft: suffixLookup() };
  const generator =
    depth === undefined
      ? new sampler.Generator(model, prompt, settings)
      : new SpeculativeGenerator(sampler, models, prompt, { ...settings, depth });
  await generator.step(); // and so evaluate the prompt
  const start = performance.now();
  await generator.run({ maxTokens: count - 1 });
  const time = performance.now() - start;
  const acceptance = generator instanceof SpeculativeGenerator ? generator.acceptance : undefined;
  const text = generator.tokens.join(' ');
  generator.dispose();
  return { text, time, acceptance };
}
