import type { StartEvaluator } from './evaluator.js';
import { loadDecoder } from './load-decoder.js';

/** Runs the model where it is called: the way of Node, which has no page to keep fluent. */
export const startEvaluator: StartEvaluator = async (options, onProgress, signal) => {
  const { decoder, facts } = await loadDecoder(options, onProgress, signal);
  return {
    facts,
    evaluate: (text, count) => Promise.resolve().then(() => decoder.evaluate(text, count)),
    recall: (text) => Promise.resolve().then(() => decoder.recall(text)),
    remember: (memory) => Promise.resolve().then(() => decoder.remember(memory)),
    // The memory is the decoder's own and goes with it.
    dispose: () => undefined,
  };
};
