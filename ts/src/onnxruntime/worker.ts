import { SamplerError } from '../errors.js';
import type { EvaluatorOptions } from './evaluator.js';
import { loadDecoder } from './load-decoder.js';
import { reasonOf } from './load-failed.js';
import type { WorkerQuestion, WorkerReply } from './worker-reply.js';

/** The global scope here; the library's types are those of a page. */
declare const self: {
  onmessage: (event: MessageEvent<never>) => void;
  postMessage(reply: WorkerReply, transfer?: readonly Transferable[]): void;
};

self.onmessage = ({ data: options }: MessageEvent<EvaluatorOptions>) => {
  load(options).catch(fail);
};

async function load(options: EvaluatorOptions): Promise<void> {
  const { decoder, facts } = await loadDecoder(options, (progress) => {
    self.postMessage({ type: 'progress', progress });
  });
  self.onmessage = ({ data: { text, count } }: MessageEvent<WorkerQuestion>) => {
    try {
      const rows = decoder.evaluate(text, count);
      const buffers = rows.map((row) => (row instanceof Float32Array ? row.buffer : row.data.buffer));
      self.postMessage({ type: 'answer', answer: rows }, buffers);
    } catch (thrown) {
      fail(thrown);
    }
  };
  self.postMessage({ type: 'answer', answer: facts });
}

function fail(thrown: unknown): void {
  const { code, index, value, detail } =
    thrown instanceof SamplerError ? thrown : new SamplerError('MODEL_LOAD_FAILED', { detail: reasonOf(thrown) });
  self.postMessage({ type: 'failed', code, details: { index, value, detail } });
}
