// A module worker, without a bundler: there is no import map in workers, so that the package is named by its address.
import { loadSampler } from '../node_modules/quillmate-sampler/dist/index.js';
import { end, model, prompt, textOf } from '../toy-model.js';

onmessage = async ({ data: { seed } }) => {
  const sampler = await loadSampler(); // loaded once, however often this is called
  const generator = new sampler.Generator(model, prompt, { seed });
  const tokens = [];
  for await (const token of generator.run({ maxTokens: 30, eosId: end })) {
    tokens.push(token);
    postMessage(textOf(tokens)); // as it is written
  }
  generator.dispose();
};
