import type { StartEvaluator } from './evaluator.js';
import { loadDecoder } from './load-decoder.js';

/** Node's own. */
declare const setImmediate: (callback: () => void) => unknown;

/** The runtime answers without ever leaving the thread: without this, a text kept timers and signals waiting to its end. */
const turnOfOthers = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Runs the model where it is called: the way of Node, which has no page to keep fluent. */
export const startEvaluator: StartEvaluator = async (options, onProgress, signal) => {
  const { decoder, facts, release } = await loadDecoder(options, onProgress, signal);
  let underWay: Promise<void> | undefined;
  const noted = <T>(answer: Promise<T>): Promise<T> => {
    const done = (): void => {
      underWay = undefined;
    };
    underWay = answer.then(done, done);
    return answer;
  };
  return {
    facts,
    evaluate: (text, count) => noted(turnOfOthers().then(() => decoder.evaluate(text, count))),
    recall: (text) => noted(decoder.recall(text)),
    remember: (memory) => noted(decoder.remember(memory)),
    dispose() {
      if (underWay === undefined) release();
      else void underWay.then(release);
    },
  };
};
