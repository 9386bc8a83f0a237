interface Modules {
  'node:fs/promises': { readFile: (url: URL) => Promise<Uint8Array<ArrayBuffer>> };
  'node:url': { pathToFileURL: (path: string) => URL };
}

interface NodeProcess {
  getBuiltinModule: <Id extends keyof Modules>(id: Id) => Modules[Id];
}

/** Node's own modules, without an import that a bundler for the browser would stumble over; undefined in a browser. */
const node = (globalThis as { process?: Partial<NodeProcess> }).process?.getBuiltinModule;

export const readLocalFile = node?.('node:fs/promises').readFile;
export const pathToFileUrl = node?.('node:url').pathToFileURL;
