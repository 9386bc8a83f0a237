/**
 * Files that a page has fetched before, in a cache of its Cache Storage, under their addresses. Whatever goes wrong with
 * it, for want of room, of permission or of the storage itself, is kept quiet: then there is still the network.
 */
export class FileCache {
  readonly #cache: Promise<Cache | undefined>;

  /** @param name undefined for none */
  constructor(name: string | undefined) {
    this.#cache = quietly(async () => (name === undefined ? undefined : caches.open(name)));
  }

  async read(url: URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return quietly(async () => {
      const response = await (await this.#cache)?.match(url);
      return response && new Uint8Array(await response.arrayBuffer());
    });
  }

  async keep(url: URL, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await quietly(async () => (await this.#cache)?.put(url, new Response(bytes)));
  }

  async forget(url: URL): Promise<void> {
    await quietly(async () => (await this.#cache)?.delete(url));
  }
}

async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
