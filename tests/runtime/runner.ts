import { loadSampler, type GeneratorState, type Model, type Sampler } from 'quillmate-sampler';
import { loadModel, type ModelIdentity, type OnnxModel } from 'quillmate-sampler/onnxruntime';

export { speculate } from './speculation.js';
export { timePerToken } from './time-per-token.js';

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
}

/** Loads the model anew, does one task after the other with it, and lets it go. */
export async function perform(modelUrl: string, threads: number, tasks: readonly Task[]): Promise<Report> {
  const sampler = await loadSampler();
  const model = await loadModel({ url: modelUrl, threads });
  const texts: Text[] = [];
  const branches: Text[] = [];
  try {
    for (const task of tasks) {
      const text = await write(sampler, model, task);
      texts.push(text);
      if (task.branch === undefined) continue;
      const from = branchOf(text.state, task.branch);
      branches.push(await write(sampler, model, { from, length: task.length }));
    }
  } finally {
    model.dispose();
  }
  return { texts, branches, identity: model.identity };
}

/** The state in which a branch begins. */
export function branchOf(state: GeneratorState, { tokens, seed }: Branch): GeneratorState {
  return { ...state, tokens: state.tokens.slice(0, tokens), step: tokens - state.promptLength, seed };
}

async function write(sampler: Sampler, source: OnnxModel, { from, length }: Task): Promise<Text> {
  const hashes: string[] = [];
  const model = hashing(source, hashes);
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

/** The same model, which notes the hash of each of its rows. */
function hashing(model: OnnxModel, hashes: string[]): Model {
  const watched: Model = async (tokens, options) => {
    const row = await model(tokens, options);
    hashes.push(hashOf(row instanceof Float32Array ? row : row.data));
    return row;
  };
  return Object.assign(watched, { identity: model.identity });
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
