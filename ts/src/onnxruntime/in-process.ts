import type { StartEvaluator } from './evaluator.js';
import { loadDecoder } from './load-decoder.js';

/** Runs the model where it is called: the way of Node, which has no page to keep fluent. */
export const startEvaluator: StartEvaluator = async (options, onProgress, signal) => {
  const { decoder, facts, release } = await loadDecoder(options, onProgress, signal);
  let underWay: Promise<unknown> = Promise.resolve();
  const noted = <T>(answer: Promise<T>): Promise<T> => {
    underWay = answer.catch(() => undefined);
    return answer;
  };
  return {
    facts,
    evaluate: (text, count) => noted(decoder.evaluate(text, count)),
    recall: (text) => noted(decoder.recall(text)),
    remember: (memory) => noted(decoder.remember(memory)),
    dispose() {
      void underWay.then(release);
    },
  };
};
