// node write.mjs STATE.json: writes six words more of the text in the file, from one process to the next.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { loadSampler } from 'quillmate-sampler';
import { model, prompt, textOf } from '../toy-model.js';

const [file] = process.argv.slice(2);
const sampler = await loadSampler();
const saved = await readFile(file, 'utf8').catch(() => undefined);
const generator = saved
  ? sampler.Generator.fromState(model, saved)
  : new sampler.Generator(model, prompt, { seed: 42 });
await generator.run({ maxTokens: 6 });

await writeFile(`${file}.new`, JSON.stringify(generator.state()));
await rename(`${file}.new`, file); // whole or not at all
console.log(textOf(generator.tokens.slice(prompt.length)));
