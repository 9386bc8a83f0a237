/** A model that was imported, as far as can be told without loading it. */
export interface ImportedModel {
  /** The folder in which it is kept. */
  readonly id: string;
  readonly name: string;
  /** In bytes, of all its files. */
  readonly size: number;
  /** SHA-256 of the model's own file, in hexadecimal digits. */
  readonly hash: string;
}

/**
 * Models in the browser's private file system, a folder each. What is known of a model is written last: a folder without
 * it is what an interrupted import left, and the next visit removes it.
 */
export class ModelLibrary {
  readonly #folder: FileSystemDirectoryHandle;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Undefined where the browser has no such file system, or gives none to this page. */
  static async open(): Promise<ModelLibrary | undefined> {
    // Safari had it for years without a way to write to it from a page.
    if (!('FileSystemFileHandle' in globalThis && 'createWritable' in FileSystemFileHandle.prototype)) return undefined;
    try {
      const root = await navigator.storage.getDirectory();
      const library = new ModelLibrary(await root.getDirectoryHandle('models', { create: true }));
      // Unless another tab is importing.
      await navigator.locks.request(importLock, { ifAvailable: true }, (lock) => lock && library.#removeLeftovers());
      return library;
    } catch {
      return undefined;
    }
  }

  /** By name. */
  async list(): Promise<ImportedModel[]> {
    const models: ImportedModel[] = [];
    for await (const id of this.#folder.keys()) {
      const model = await this.#about(id);
      if (model) models.push(model);
    }
    return models.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** What {@link add} was given. */
  async files(id: string): Promise<File[]> {
    const folder = await this.#folder.getDirectoryHandle(id);
    const files: File[] = [];
    for await (const name of folder.keys()) {
      if (name !== aboutFile) files.push(await (await folder.getFileHandle(name)).getFile());
    }
    return files;
  }

  /**
   * Keeps the files of a model that is known to load. When that fails, or is given up, nothing is left of them.
   * @param onProgress told how many bytes are kept
   */
  async add(
    about: Pick<ImportedModel, 'name' | 'hash'>,
    files: readonly File[],
    onProgress: (bytes: number) => void,
  ): Promise<ImportedModel> {
    return await navigator.locks.request(importLock, () => this.#add(about, files, onProgress));
  }

  async remove(id: string): Promise<void> {
    await this.#folder.removeEntry(id, { recursive: true });
  }

  async #add(
    { name, hash }: Pick<ImportedModel, 'name' | 'hash'>,
    files: readonly File[],
    onProgress: (bytes: number) => void,
  ): Promise<ImportedModel> {
    const id = hash.slice(0, 16);
    const folder = await this.#folder.getDirectoryHandle(id, { create: true });
    let size = 0;
    try {
      for (const file of files) {
        const target = await (await folder.getFileHandle(file.name, { create: true })).createWritable();
        const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            size += chunk.length;
            onProgress(size);
            controller.enqueue(chunk);
          },
        });
        await file.stream().pipeThrough(count).pipeTo(target);
      }
      const model: ImportedModel = { id, name, size, hash };
      const about = await (await folder.getFileHandle(aboutFile, { create: true })).createWritable();
      await about.write(JSON.stringify(model));
      await about.close();
      return model;
    } catch (error) {
      await this.remove(id);
      throw error;
    }
  }

  async #removeLeftovers(): Promise<void> {
    const ids: string[] = [];
    for await (const id of this.#folder.keys()) if (!(await this.#about(id))) ids.push(id);
    for (const id of ids) await this.remove(id);
  }

  async #about(id: string): Promise<ImportedModel | undefined> {
    try {
      const folder = await this.#folder.getDirectoryHandle(id);
      const file = await (await folder.getFileHandle(aboutFile)).getFile();
      return JSON.parse(await file.text()) as ImportedModel;
    } catch {
      return undefined;
    }
  }
}

const aboutFile = 'quillmate-model.json';

/** Held while files are written. */
const importLock = 'quillmate-model-import';
