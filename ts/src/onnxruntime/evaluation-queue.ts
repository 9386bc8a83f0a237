import { SamplerError } from '../errors.js';
import { abortable } from './abortable.js';
import type { Evaluator } from './evaluator.js';

// A worker goes on for ever when nobody ends it. A queue in which someone waits is not forgotten.
const net = new FinalizationRegistry<Evaluator>((evaluator) => {
  evaluator.dispose();
});

/** Lets the callers of one model take turns: they are served one by one, in the order in which they came. */
export class EvaluationQueue {
  /** Undefined once it is disposed, so that its memory can go. */
  #evaluator: Evaluator | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #disposal = new AbortController();

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
    net.register(this, evaluator, this);
  }

  /**
   * Rejects with a SamplerError: ABORTED as soon as the signal aborts and MODEL_DISPOSED as soon as the queue is
   * disposed, whether its turn has come or not; else with the evaluator's.
   */
  turn<T>(work: (evaluator: Evaluator) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const disposed = (): Error => new SamplerError('MODEL_DISPOSED');
    const aborted = (): Error => new SamplerError('ABORTED', { detail: 'the evaluation', cause: signal?.reason });
    return abortable(this.#disposal.signal, disposed, () =>
      abortable(signal, aborted, () => {
        const turn = this.#last.then(() => {
          // Given up while it waited: its caller knows already.
          if (this.#evaluator === undefined) throw disposed();
          if (signal?.aborted === true) throw aborted();
          return work(this.#evaluator);
        });
        this.#last = turn.catch(() => undefined);
        return turn;
      }),
    );
  }

  dispose(): void {
    net.unregister(this);
    this.#evaluator?.dispose();
    this.#evaluator = undefined;
    this.#disposal.abort();
  }
}
