import { loadSampler, type Sampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { SpeculativeGenerator, suffixLookup, type Acceptance } from 'quillmate-sampler/speculative';

/** What speculation with the text itself as the draft made of some texts. */
export interface SpeculationReport {
  readonly tokens: number;
  /** Of the plain generator, in milliseconds for all texts, each without its first token. */
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

/** Writes each text plainly and, in mode `text`, with each depth; the model has forgotten it each time. */
export async function speculate(
  modelUrl: string,
  prompts: readonly (readonly number[])[],
  count: number,
  depths: readonly number[],
  temperature: number,
): Promise<SpeculationReport> {
  const sampler = await loadSampler();
  const model = await loadModel({ url: modelUrl });
  const write = (depth?: number) => writeAll(sampler, model, prompts, count, temperature, depth);
  try {
    // Until an engine has optimised the runtime, it takes its time.
    await writeAll(sampler, model, prompts.slice(0, 3), count, temperature, 4);
    const plain = await write();
    const reports: DepthReport[] = [];
    for (const depth of depths) {
      const { time, texts, acceptances } = await write(depth);
      const sum = (of: (acceptance: Acceptance) => number) => acceptances.reduce((all, one) => all + of(one), 0);
      reports.push({
        depth,
        time,
        proposed: sum(({ proposed }) => proposed),
        accepted: sum(({ accepted }) => accepted),
        evaluations: sum(({ evaluations }) => evaluations),
        different: texts.flatMap((text, index) => (text === plain.texts[index] ? [] : [index])),
      });
    }
    return { tokens: prompts.length * (count - 1), plainTime: plain.time, depths: reports };
  } finally {
    model.dispose();
  }
}

async function writeAll(
  sampler: Sampler,
  model: OnnxModel,
  prompts: readonly (readonly number[])[],
  count: number,
  temperature: number,
  depth: number | undefined,
) {
  const texts: string[] = [];
  const acceptances: Acceptance[] = [];
  let time = 0;
  for (const [seed, prompt] of prompts.entries()) {
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
    time += performance.now() - start;
    texts.push(generator.tokens.join(' '));
    if (generator instanceof SpeculativeGenerator) acceptances.push(generator.acceptance);
    generator.dispose();
  }
  return { texts, acceptances, time };
}
