import { stderr } from 'node:process';

/** What is told on standard error: a line that is written over where that is a terminal, else only how it ended. */
export class Progress {
  readonly #quiet: boolean;
  readonly #overwrites: boolean;

  constructor(quiet: boolean) {
    this.#quiet = quiet;
    this.#overwrites = !quiet && stderr.isTTY;
  }

  /** A passing state of things. */
  show(text: string): void {
    if (this.#overwrites) stderr.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    this.show('');
  }

  /** Something that is to stay. */
  tell(text: string): void {
    this.clear();
    if (!this.#quiet) stderr.write(`${text}\n`);
  }
}
