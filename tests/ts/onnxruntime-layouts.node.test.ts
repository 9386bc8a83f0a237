import { loadSampler } from 'quillmate-sampler';
import { loadModel, type ModelRow, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { describe, expect, it, vi } from 'vitest';
import { embedding, tinyDecoder, type TinyDecoder } from './tiny-decoder.js';

vi.setConfig({ testTimeout: 60_000 });

const plain: TinyDecoder = {
  type: 'float32',
  layers: 2,
  heads: 2,
  headSize: 4,
  vocabSize: 40,
  told: true,
  positions: true,
  asked: false,
};

/** A config.json in the style of Llama, for {@link plain}. */
const llama = {
  model_type: 'llama',
  max_position_embeddings: 64,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  head_dim: 4,
  hidden_size: 30,
  vocab_size: 40,
  eos_token_id: 3,
};

function load(decoder: Partial<TinyDecoder>, config: object = llama): Promise<OnnxModel> {
  const model = tinyDecoder({ ...plain, ...decoder });
  return loadModel({ files: { config: new TextEncoder().encode(JSON.stringify(config)), model } });
}

/** What the tiny decoder is to find. */
function expected(tokens: readonly number[], { heads, headSize, vocabSize } = plain): number[] {
  const width = heads * headSize;
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return Array.from({ length: vocabSize }, (_, v) =>
    tokens.reduce((sum, token) => sum + dot(embedding(token, width), embedding(v, width)), 0),
  );
}

/** Of whole numbers. */
function numbers(row: ModelRow): number[] {
  if (row instanceof Float32Array) return Array.from(row, (value) => value + 0); // no -0
  return Array.from(row.data, (bits) => {
    const exponent = (bits >> 10) & 31;
    const value = exponent === 0 ? 0 : ((bits & 1023) + 1024) * 2 ** (exponent - 25);
    return bits >> 15 ? 0 - value : value;
  });
}

describe('a decoder in the layout of Optimum', () => {
  const text = [5, 17, 39, 0, 8, 8, 21];

  it.each([
    ['is as it says', {}, llama],
    ['takes no positions', { positions: false }, llama],
    ['makes as many rows as it is asked for', { positions: false, asked: true }, llama],
    ['makes a row for the last token alone', { lastOnly: true }, llama],
    ['has fewer heads of keys than of queries, as config.json says', { told: false }, llama],
    [
      'tells the size of its heads by the width of the model',
      { told: false, heads: 3, headSize: 4 },
      { model_type: 'gpt2', n_positions: 64, n_head: 3, n_embd: 12, vocab_size: 40, eos_token_id: 3 },
    ],
    [
      'is the text part of a larger model',
      { told: false },
      { model_type: 'seer', text_config: { ...llama, model_type: 'reader' }, eos_token_id: 3 },
    ],
    ['keeps keys, values and logits in 16 bits', { type: 'float16' }, llama],
  ] as const)('is evaluated when it %s', async (_, decoder, config) => {
    using model = await load(decoder, config);
    for (const length of [1, 2, 7]) {
      const row = await model(text.slice(0, length));
      expect(numbers(row)).toEqual(expected(text.slice(0, length), { ...plain, ...decoder }));
    }
    // Back to an earlier place: the past is cut.
    expect(numbers(await model([5, 17, 38]))).toEqual(expected([5, 17, 38], { ...plain, ...decoder }));
    const several = await model.rows?.(text.slice(0, 7), 4);
    expect(several?.map(numbers)).toEqual(
      [4, 5, 6, 7].map((length) => expected(text.slice(0, length), { ...plain, ...decoder })),
    );
    expect(model.identity.invariant).toBe('yes');
    expect(model.eosTokenId).toBe(3);
  });

  it('hands logits of 16 bits on to the sampler as they are', async () => {
    using model = await load({ type: 'float16' });
    const row = await model(text);
    expect(row).toMatchObject({ type: 'float16' });
    const sampler = await loadSampler();
    const best = expected(text);
    expect(sampler.sampleToken(row, { temperature: 0, u: 0 })).toBe(best.indexOf(Math.max(...best)));

    using generator = new sampler.Generator(model, text, { seed: 1 });
    using wide = await load({});
    using other = new sampler.Generator(wide, text, { seed: 1 });
    for (let step = 0; step < 10; step++) expect(await generator.step()).toBe(await other.step());
  });

  it('tells all tokens that end a text', async () => {
    using several = await load({}, { ...llama, eos_token_id: [7, 9] });
    expect([several.eosTokenId, several.eosTokenIds]).toEqual([7, [7, 9]]);
    using none = await load({}, { ...llama, eos_token_id: null });
    expect([none.eosTokenId, none.eosTokenIds]).toEqual([undefined, []]);
  });

  it('says which field of config.json is missing', async () => {
    const fields = { ...llama, num_attention_heads: undefined, num_key_value_heads: undefined };
    await expect(load({ told: false }, fields)).rejects.toThrow('"num_key_value_heads"); add it to config.json');
  });

  it('says so when config.json belongs to another model', async () => {
    await expect(load({ told: false }, { ...llama, num_key_value_heads: 3 })).rejects.toThrow(
      'does not run (its keys have the shape 1,2,9,4, not 1,3,9,4); see that its config.json belongs to it',
    );
  });
});

describe('a model from a chosen folder', () => {
  const config = new File([JSON.stringify(llama)], 'config.json');
  const model = (name: string, decoder = plain) => new File([tinyDecoder(decoder)], name);
  const inFolder = (file: File, path: string) => Object.defineProperty(file, 'webkitRelativePath', { value: path });

  it('is found by the names of its files', async () => {
    using found = await loadModel({ files: [new File([], 'README.md'), model('model.onnx'), config] });
    expect(found.vocabSize).toBe(40);
  });

  it('is the quantized one unless another is asked for', async () => {
    const files = [
      inFolder(model('model.onnx', { ...plain, vocabSize: 39 }), 'tiny/onnx/model.onnx'),
      inFolder(model('model_quantized.onnx'), 'tiny/onnx/model_quantized.onnx'),
      inFolder(new File(['{}'], 'config.json'), 'tiny/elsewhere/config.json'),
      inFolder(new File([JSON.stringify(llama)], 'config.json'), 'tiny/config.json'),
    ];
    using quantized = await loadModel({ files });
    expect(quantized.vocabSize).toBe(40);
    using other = await loadModel({ files, file: 'onnx/model.onnx' });
    expect(other.vocabSize).toBe(39);
  });

  it.each([
    [[model('model.onnx')], undefined, 'there is no config.json among the files (model.onnx); add it'],
    [[config], undefined, 'there are 0 files .onnx (of models: none)'],
    [[config, model('a.onnx'), model('b.onnx')], undefined, 'there are 2 files .onnx (of models: a.onnx, b.onnx)'],
    [
      [config, model('a.onnx')],
      'c.onnx',
      'there are 0 files "c.onnx" (of models: a.onnx); say with file which one it is',
    ],
  ])('says what is missing or not clear (%#)', async (files, file, message) => {
    await expect(loadModel({ files, file })).rejects.toMatchObject({
      code: 'MODEL_LOAD_FAILED',
      detail: expect.stringContaining(message) as string,
    });
  });

  it('is named when it is none', async () => {
    await expect(loadModel({ files: [config, new File(['?'], 'broken.onnx')] })).rejects.toThrow('broken.onnx');
  });
});
