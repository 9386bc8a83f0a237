import { loadSampler, type GeneratorState } from 'quillmate-sampler';
import { withConstant } from './onnx-file.js';
import { loadModel, type ModelRow, type OnnxModel } from 'quillmate-sampler/onnxruntime';

/** The folder of the bundled model. */
export const bundled = new URL('../../web-demo/public/models/quill-tales/', import.meta.url);

/** A file of the bundled model. */
export async function bundledFile(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const url = new URL(`${bundled.href.replace(/\/$/, '')}/${name}`); // the page's bundler takes the slash away
  if (url.protocol !== 'file:') return new Uint8Array(await (await fetch(url)).arrayBuffer());
  const { readFile } = await import('node:fs/promises');
  return new Uint8Array(await readFile(url));
}

/** The bundled model with another model file. */
export async function loadChanged(
  change: (model: Uint8Array) => Uint8Array<ArrayBuffer>,
  threads = 1,
): Promise<OnnxModel> {
  const config = await bundledFile('config.json');
  return loadModel({ files: { config, model: change(await bundledFile('onnx/model_quantized.onnx')) }, threads });
}

/** A text of any tokens: the model's opinion of it does not matter here. */
export function someText(length: number, variant = 0): number[] {
  let state = 12_345 + variant;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % 4096;
  });
}

/** Bits, since -0 and 0 are to differ; as text, since arrays of this length are compared slowly. */
export function bitsOf(row: ModelRow): string {
  return new Uint32Array(floats(row).slice().buffer).join(' ');
}

/** The row of a model that is known to give float32. */
export function floats(row: ModelRow): Float32Array {
  if (!(row instanceof Float32Array)) throw new Error('the row is not in float32');
  return row;
}

/** The model remembers the last 8 texts. */
export async function forgetTexts(model: OnnxModel): Promise<void> {
  for (let token = 4000; token < 4008; token++) await model([token]);
}

/**
 * Generates a text, regenerates it twice from what the model then knows, and once when it knows nothing any more: the
 * states, with the fingerprints of all rows.
 */
export async function generatedAgain(model: OnnxModel): Promise<GeneratorState[]> {
  const sampler = await loadSampler();
  const states: GeneratorState[] = [];
  for (const known of [false, true, true, false]) {
    if (!known) await forgetTexts(model);
    using generator = new sampler.Generator(model, someText(37, 3), { seed: 5, temperature: 1, audit: 'full' });
    await generator.run({ maxTokens: 24 });
    states.push(generator.state());
  }
  return states;
}

/**
 * Copies of the bundled model whose bits depend on how a text is divided. Its graph pads the keys to a multiple of 8, and
 * the rows of the product of attention and values by one; each copy leaves one of these out. Without the keys' padding it
 * differs from 4 tokens on, without the row's only past 257.
 */
export const unpadded: Record<'keys' | 'row', (model: Uint8Array) => Uint8Array<ArrayBuffer>> = {
  keys: (model: Uint8Array) => withNumbers(withNumbers(model, 'pad_n', [1]), 'pad_m1', [0]),
  row: (model: Uint8Array) => withNumbers(model, 'pad_row', [0, 0, 0, 0, 0, 0, 0, 0]),
};

function withNumbers(model: Uint8Array, name: string, numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  return withConstant(model, name, (data) => {
    data.set(new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer));
  });
}
