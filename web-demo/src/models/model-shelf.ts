import { batch, computed, signal } from '@preact/signals';
import { loadBundledModel, loadChosenModel, type LoadedBytes, type LoadedModel } from './loaded-model';
import { ModelLibrary, type ImportedModel } from './model-library';
import { partsOf } from './model-parts';
import { words } from './words';

/** What is done with an imported model, or was. */
export interface ImportStatus {
  readonly text: string;
  /** Of an import under way, in bytes; undefined while nothing can be counted. */
  readonly done?: number | undefined;
  readonly total?: number | undefined;
  readonly running: boolean;
}

/** The id of the model that comes with the page. */
export const bundledId = 'bundled';

/** The models that there are, and the one in use. */
export class ModelShelf {
  readonly imported = signal<readonly ImportedModel[]>([]);
  /** Undefined while it is not known whether the browser keeps files for pages; null when it does not. */
  readonly library = signal<ModelLibrary | null | undefined>(undefined);
  readonly chosen = signal<string>(bundledId);
  readonly loaded = signal<LoadedModel | null>(null);
  /** In bytes; null when nothing is being loaded. */
  readonly loading = signal<LoadedBytes | null>(null);
  /** Why the chosen model could not be loaded. */
  readonly failure = signal<string | null>(null);
  readonly status = signal<ImportStatus | null>(null);
  /** Why nothing came of an import or a deletion. */
  readonly problem = signal<{ readonly title: string; readonly reason: string } | null>(null);

  readonly busy = computed(() => this.status.value?.running ?? false);

  /** @param first the model to begin with, if it is still there */
  async open(first = bundledId): Promise<void> {
    const library = this.#openLibrary();
    if (first !== bundledId) await library;
    const there = this.imported.value.some(({ id }) => id === first);
    await Promise.all([this.use(there ? first : bundledId), library]);
  }

  /** Loads a model in the place of the one in use. */
  async use(id: string): Promise<void> {
    batch(() => {
      this.chosen.value = id;
      this.loaded.value?.model.dispose();
      this.loaded.value = null;
      this.failure.value = null;
      this.loading.value = { loaded: 0, total: 0 };
    });
    let loaded: LoadedModel | null = null;
    try {
      loaded = await this.#load(id);
    } catch (error) {
      if (this.chosen.value === id) this.failure.value = messageOf(error);
    }
    // Another may have been chosen meanwhile.
    if (this.chosen.value !== id) {
      loaded?.model.dispose();
      return;
    }
    batch(() => {
      this.loaded.value = loaded;
      this.loading.value = null;
    });
  }

  /** Loads a model from the files of a folder, to see that it does, and keeps them. One that does not load changes nothing. */
  async import(chosen: readonly File[]): Promise<void> {
    const library = this.library.value;
    if (!library || this.busy.value || chosen.length === 0) return;
    const files = partsOf(chosen);
    batch(() => {
      this.problem.value = null;
      this.status.value = { text: words.trying, running: true };
    });
    try {
      const { model } = await loadChosenModel(files);
      const hash = model.identity.modelHash?.replace('sha256:', '') ?? '';
      const name = folderOf(chosen) || (model.identity.name ?? words.unnamed);
      model.dispose();
      if (this.imported.value.some((known) => known.hash === hash)) {
        this.status.value = { text: words.known(name), running: false };
        return;
      }
      const total = files.reduce((sum, { size }) => sum + size, 0);
      await library.add({ name, hash }, files, (done) => {
        this.status.value = { text: words.storing(done, total), done, total, running: true };
      });
      this.imported.value = await library.list();
      this.status.value = { text: words.imported(name), running: false };
    } catch (error) {
      batch(() => {
        this.status.value = null;
        this.problem.value = { title: words.failed, reason: messageOf(error) };
      });
    }
  }

  async remove(model: ImportedModel): Promise<void> {
    const library = this.library.value;
    if (!library || this.busy.value) return;
    this.problem.value = null;
    try {
      await library.remove(model.id);
      this.imported.value = await library.list();
      this.status.value = { text: words.removed(model.name), running: false };
    } catch (error) {
      this.problem.value = { title: words.notRemoved, reason: messageOf(error) };
      return;
    }
    if (this.chosen.value === model.id) await this.use(bundledId);
  }

  async #load(id: string): Promise<LoadedModel | null> {
    if (id === bundledId) {
      return loadBundledModel((bytes) => {
        if (this.chosen.value === id) this.loading.value = bytes;
      });
    }
    const files = await this.library.value?.files(id);
    return files ? loadChosenModel(files) : null;
  }

  async #openLibrary(): Promise<void> {
    const library = await ModelLibrary.open();
    const imported = (await library?.list()) ?? [];
    batch(() => {
      this.library.value = library ?? null;
      this.imported.value = imported;
    });
  }
}

/** The name of the folder that was chosen; empty where files were. */
const folderOf = ([file]: readonly File[]): string => file?.webkitRelativePath.split('/')[0] ?? '';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
