import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';

/**
 * The page's service worker. A newer build is fetched beside the one in use and then waits: it starts when the reader says
 * so, in all tabs, and in none of them while that tab is busy.
 */
export class Updates {
  readonly #waiting = signal<ServiceWorker | null>(null);
  readonly #postponed = signal(false);
  /** Whether the page does what a reload would interrupt. */
  readonly busy: ReadonlySignal<boolean>;

  /** Whether a newer build is to be offered. */
  readonly offered = computed(() => this.#waiting.value !== null && !this.#postponed.value);

  constructor(busy: ReadonlySignal<boolean>) {
    this.busy = busy;
  }

  /** Without a service worker, as in some private windows, the page works all the same. */
  async watch(): Promise<void> {
    const workers = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
    if (!workers || !import.meta.env.PROD) return;
    let first = workers.controller === null;
    workers.addEventListener('controllerchange', () => {
      // What the first worker took over is its own build.
      if (!first) this.#reload();
      first = false;
    });
    const registration = await workers.register('sw.js').catch(() => undefined);
    if (!registration) return;
    const look = (): void => {
      if (registration.active) this.#waiting.value = registration.waiting;
    };
    look();
    registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look));
    document.addEventListener('visibilitychange', () => {
      // A tab that is open for days would not look by itself. Without a network there is nothing to be found.
      if (document.visibilityState === 'visible') registration.update().catch(() => undefined);
    });
  }

  /** Starts the newer build; the page is loaded again. */
  start(): void {
    if (!this.busy.value) this.#waiting.value?.postMessage({ type: 'SKIP_WAITING' });
  }

  /** Not before the next visit. */
  postpone(): void {
    this.#postponed.value = true;
  }

  #reload(): void {
    const stop = effect(() => {
      if (this.busy.value) return;
      location.reload();
      queueMicrotask(() => {
        stop();
      });
    });
  }
}
