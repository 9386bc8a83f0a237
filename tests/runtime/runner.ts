import { loadSampler, type GeneratorState, type Model, type Sampler } from 'quillmate-sampler';
import { loadModel, type ModelIdentity, type OnnxModel } from 'quillmate-sampler/onnxruntime';

export { speculate } from './speculation.js';

/** A text to begin, or to go on with, and how many tokens it is to have in the end. */
export interface Task {
  readonly from: { readonly prompt: readonly number[]; readonly seed: number } | GeneratorState;
  readonly length: number;
  /** Left out: none. */
  readonly branch?: Branch | undefined;
}

/** Another end of a text, of the same length, that leaves it after so many tokens. */
export interface Branch {
  readonly tokens: number;
  readonly seed: string;
}

/** What came of a task. */
export interface Text {
  readonly state: GeneratorState;
  /** Of each row that was drawn from, in order. */
  readonly hashes: readonly string[];
}

export interface Report {
  /** One for each task. */
  readonly texts: readonly Text[];
  /** One for each task with a branch. */
  readonly branches: readonly Text[];
  readonly identity: ModelIdentity;
  readonly tokens: number;
  /** In all, in milliseconds: until the model's row was there, and from then until the token was. */
  readonly modelTime: number;
  readonly samplingTime: number;
}

/** Loads the model anew, does one task after the other with it, and lets it go. */
export async function perform(modelUrl: string, threads: number, tasks: readonly Task[]): Promise<Report> {
  const sampler = await loadSampler();
  const model = await loadModel({ url: modelUrl, threads });
  const watch = new Watch(model);
  try {
    const start = performance.now();
    const texts: Text[] = [];
    const branches: Text[] = [];
    for (const task of tasks) {
      const text = await write(sampler, watch, task);
      texts.push(text);
      if (task.branch === undefined) continue;
      const from = branchOf(text.state, task.branch);
      branches.push(await write(sampler, watch, { from, length: task.length }));
    }
    return {
      texts,
      branches,
      identity: model.identity,
      tokens: [...texts, ...branches].reduce((sum, { hashes }) => sum + hashes.length, 0),
      modelTime: watch.modelTime,
      samplingTime: performance.now() - start - watch.modelTime - watch.hashTime,
    };
  } finally {
    model.dispose();
  }
}

/** The state in which a branch begins. */
export function branchOf(state: GeneratorState, { tokens, seed }: Branch): GeneratorState {
  return { ...state, tokens: state.tokens.slice(0, tokens), step: tokens - state.promptLength, seed };
}

async function write(sampler: Sampler, watch: Watch, { from, length }: Task): Promise<Text> {
  const hashes: string[] = [];
  const model = watch.model(hashes);
  const settings = { temperature: 0.8, topP: 0.95 };
  const generator =
    'prompt' in from
      ? new sampler.Generator(model, from.prompt, { ...settings, seed: from.seed })
      : sampler.Generator.fromState(model, from);
  for (let count = generator.tokens.length; count < length; count++) await generator.step();
  const state = generator.state();
  generator.dispose();
  return { state, hashes };
}

/** Hashes the rows of a model and keeps its time. */
class Watch {
  modelTime = 0;
  hashTime = 0;
  readonly #model: OnnxModel;

  constructor(model: OnnxModel) {
    this.#model = model;
  }

  model(hashes: string[]): Model {
    const watched: Model = async (tokens, options) => {
      const start = performance.now();
      const row = await this.#model(tokens, options);
      const end = performance.now();
      hashes.push(hashOf(row instanceof Float32Array ? row : row.data));
      this.modelTime += end - start;
      this.hashTime += performance.now() - end;
      return row;
    };
    return Object.assign(watched, { identity: this.#model.identity });
  }
}

/** 64 bits that tell any two rows apart which were not made to collide. */
function hashOf(row: Float32Array | Uint16Array): string {
  const words = new Uint16Array(row.buffer, row.byteOffset, row.byteLength / 2);
  let one = 0x811c9dc5;
  let other = 0x2545f491;
  for (const word of words) {
    one = Math.imul(one ^ word, 0x01000193);
    other = Math.imul(other ^ word ^ (other >>> 15), 0x85ebca6b);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
