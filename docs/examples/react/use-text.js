import { useEffect, useState } from 'react';
import { loadSampler } from 'quillmate-sampler';

/**
 * A text that is written while the component is shown, anew whenever the seed changes.
 * @param {import('quillmate-sampler').Model} model the same function at each call
 * @param {number[]} prompt the same array at each call
 * @param {{ seed: string, maxTokens: number, eosId: number }} options
 */
export function useText(model, prompt, { seed, maxTokens, eosId }) {
  const [text, setText] = useState({ tokens: [], done: false, error: undefined });
  useEffect(() => {
    const stop = new AbortController();
    const show = (change) => {
      if (!stop.signal.aborted) setText((text) => ({ ...text, ...change }));
    };
    const write = async () => {
      show({ tokens: [], done: false, error: undefined });
      const sampler = await loadSampler();
      const generator = new sampler.Generator(model, prompt, { seed });
      try {
        const tokens = [];
        for await (const token of generator.run({ maxTokens, eosId, signal: stop.signal })) {
          tokens.push(token);
          show({ tokens: [...tokens] });
        }
        show({ done: true });
      } finally {
        generator.dispose();
      }
    };
    write().catch((error) => show({ error }));
    return () => stop.abort();
  }, [model, prompt, seed, maxTokens, eosId]);
  return text;
}
