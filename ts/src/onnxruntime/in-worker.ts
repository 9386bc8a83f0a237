import { SamplerError } from '../errors.js';
import type { ModelFacts, StartEvaluator } from './evaluator.js';
import { loadFailed } from './load-failed.js';
import type { ModelRow } from './session.js';
import type { Memory } from './snapshot.js';
import type { WorkerQuestion, WorkerReply } from './worker-messages.js';

/** Runs the model in a worker of its own: the way of browsers, whose pages must stay fluent. */
export const startEvaluator: StartEvaluator = async (options, onProgress, signal) => {
  if (options.threads > 1 && !crossOriginIsolated) {
    throw loadFailed(
      `${options.threads} threads need a cross-origin isolated page; send the headers Cross-Origin-Opener-Policy: ` +
        `same-origin and Cross-Origin-Embedder-Policy: require-corp, or use one thread`,
    );
  }
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

  // There is one question at a time, so the next answer belongs to it.
  const ask = (question: WorkerQuestion): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data: reply }: MessageEvent<WorkerReply>) => {
        if (reply.type === 'progress') onProgress(reply.progress);
        else if (reply.type === 'failed') reject(new SamplerError(reply.code, reply.details));
        else resolve(reply.answer);
      };
      worker.onerror = ({ message }) => {
        reject(
          loadFailed(
            `the worker of quillmate-sampler/onnxruntime could not be run (${message || 'its script did not load'}); ` +
              `keep the package out of pre-bundling, and serve its files and onnxruntime-web's from the page's origin`,
          ),
        );
      };
      worker.postMessage(question);
    });

  const stop = (): void => {
    worker.terminate();
  };
  signal?.addEventListener('abort', stop);
  try {
    return {
      facts: (await ask({ type: 'load', options })) as ModelFacts,
      evaluate: async (text, count) => (await ask({ type: 'evaluate', text, count })) as readonly ModelRow[],
      recall: async (text) => (await ask({ type: 'recall', text })) as Memory | undefined,
      remember: async (memory) => (await ask({ type: 'remember', memory })) as boolean,
      dispose: stop,
    };
  } catch (thrown) {
    stop();
    throw thrown;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
};
