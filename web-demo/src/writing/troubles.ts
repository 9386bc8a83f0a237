import { signal } from '@preact/signals';

export type Trouble = 'model' | 'run' | 'storeOpen' | 'storeSave' | 'library' | 'heldElsewhere' | 'share';

/** What has gone wrong and is not settled yet, with the details. */
export class Troubles {
  readonly all = signal<ReadonlyMap<Trouble, string>>(new Map());

  report(trouble: Trouble, error: unknown): void {
    const details = error instanceof Error ? error.message : String(error);
    this.all.value = new Map(this.all.peek()).set(trouble, details);
  }

  settle(trouble: Trouble): void {
    if (!this.all.peek().has(trouble)) return;
    const troubles = new Map(this.all.peek());
    troubles.delete(trouble);
    this.all.value = troubles;
  }
}
