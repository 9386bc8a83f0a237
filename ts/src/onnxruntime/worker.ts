import { SamplerError } from '../errors.js';
import type { Decoder } from './decoder.js';
import { loadDecoder } from './load-decoder.js';
import { loadFailed, reasonOf } from './load-failed.js';
import type { WorkerQuestion, WorkerReply } from './worker-messages.js';

/** The global scope here; the library's types are those of a page. */
declare const self: {
  onmessage: (event: MessageEvent<WorkerQuestion>) => void;
  postMessage(reply: WorkerReply, transfer?: readonly Transferable[]): void;
};

let loaded: Decoder | undefined;

self.onmessage = ({ data: question }) => {
  answerTo(question).catch((thrown: unknown) => {
    const { code, index, value, detail } = thrown instanceof SamplerError ? thrown : loadFailed(reasonOf(thrown));
    self.postMessage({ type: 'failed', code, details: { index, value, detail } });
  });
};

async function answerTo(question: WorkerQuestion): Promise<void> {
  if (question.type === 'load') {
    const { decoder, facts } = await loadDecoder(question.options, (progress) => {
      self.postMessage({ type: 'progress', progress });
    });
    loaded = decoder;
    self.postMessage({ type: 'answer', answer: facts });
    return;
  }
  if (loaded === undefined) throw new Error('there is no model yet');
  switch (question.type) {
    case 'evaluate': {
      const rows = await loaded.evaluate(question.text, question.count);
      const buffers = rows.map((row) => (row instanceof Float32Array ? row.buffer : row.data.buffer));
      self.postMessage({ type: 'answer', answer: rows }, buffers);
      break;
    }
    case 'recall': {
      const memory = await loaded.recall(question.text);
      self.postMessage({ type: 'answer', answer: memory }, memory === undefined ? [] : [memory.data.buffer]);
      break;
    }
    case 'remember':
      self.postMessage({ type: 'answer', answer: await loaded.remember(question.memory) });
      break;
  }
}
