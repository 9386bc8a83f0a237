// node generate.mjs MODEL_FOLDER: Transformers.js writes, this package draws; then the same request goes on from its state.
import { basename, dirname, resolve } from 'node:path';
import { AutoModelForCausalLM, AutoTokenizer, env, Tensor } from '@huggingface/transformers';
import { loadSampler } from 'quillmate-sampler';
import { seededGeneration } from 'quillmate-sampler/transformers';

const folder = resolve(process.argv[2]);
env.allowRemoteModels = false;
env.localModelPath = dirname(folder);
const name = basename(folder);
const [sampler, tokenizer, model] = await Promise.all([
  loadSampler(),
  AutoTokenizer.from_pretrained(name),
  AutoModelForCausalLM.from_pretrained(name, { dtype: 'q8' }),
]);

const inputs = tokenizer('<|endoftext|>Once upon a time');
const request = seededGeneration(sampler, { seed: 24, temperature: 0.8, topP: 0.95 });
await model.generate({ ...inputs, max_new_tokens: 20, ...request.options });
const [state] = request.states(); // plain JSON, for another day
request.dispose();

const ids = BigInt64Array.from(state.tokens, BigInt);
const row = (data) => new Tensor('int64', data, [1, data.length]);
const later = seededGeneration(sampler, { state });
const output = await model.generate({
  input_ids: row(ids),
  attention_mask: row(ids.map(() => 1n)),
  max_new_tokens: 20,
  ...later.options,
});
console.log(tokenizer.decode(output.tolist()[0], { skip_special_tokens: true }));
later.dispose();
