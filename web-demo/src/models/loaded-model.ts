import { loadSampler, type Sampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { TextTokenizer } from './text-tokenizer';
import { words } from './words';

/** A model that is ready, with what its texts need. */
export interface LoadedModel {
  readonly sampler: Sampler;
  readonly model: OnnxModel;
  readonly tokenizer: TextTokenizer;
}

export interface LoadedBytes {
  readonly loaded: number;
  /** 0 while it is not known. */
  readonly total: number;
}

/** Where the model that comes with the page is. */
export const bundledFolder = new URL(`${import.meta.env.MODELS}/quill-tales/`, document.baseURI);

/** The model that comes with the page. */
export async function loadBundledModel(onProgress: (bytes: LoadedBytes) => void): Promise<LoadedModel> {
  const parts = new Map<string, LoadedBytes>();
  const read = async (name: string): Promise<object> => {
    const url = new URL(name, bundledFolder);
    const response = await fetch(url);
    if (!response.ok) throw new Error(words.noAnswer(url.pathname, response.status));
    return toObject(await response.text(), name);
  };
  return together(
    // Its probe need not be waited for: that it is invariant is tested.
    (signal) =>
      loadModel({
        url: bundledFolder,
        invariant: true,
        signal,
        onProgress: ({ file, loaded, total = 0 }) => {
          parts.set(file, { loaded, total });
          onProgress(sum(parts.values()));
        },
      }),
    async () => new TextTokenizer(await read('tokenizer.json'), await read('tokenizer_config.json')),
  );
}

/** @param files what {@link partsOf} finds in a folder */
export async function loadChosenModel(files: readonly File[]): Promise<LoadedModel> {
  const read = async (name: string): Promise<object> => {
    const file = files.find((file) => file.name === name);
    if (!file) throw new Error(words.missing(name));
    return toObject(await file.text(), name);
  };
  return together(
    (signal) => loadModel({ files, signal }),
    async () => new TextTokenizer(await read('tokenizer.json'), await read('tokenizer_config.json')),
  );
}

/** When one part fails the others are pointless. */
async function together(
  load: (signal: AbortSignal) => Promise<OnnxModel>,
  readTokenizer: () => Promise<TextTokenizer>,
): Promise<LoadedModel> {
  const abort = new AbortController();
  const model = load(abort.signal);
  try {
    const [sampler, tokenizer] = await Promise.all([loadSampler(), readTokenizer(), model]);
    return { sampler, tokenizer, model: await model };
  } catch (error) {
    abort.abort();
    model.then(
      (model) => {
        model.dispose();
      },
      () => undefined,
    );
    throw error;
  }
}

function sum(parts: Iterable<LoadedBytes>): LoadedBytes {
  let [loaded, total] = [0, 0];
  for (const part of parts) {
    loaded += part.loaded;
    total += part.total;
  }
  return { loaded, total };
}

function toObject(json: string, name: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // It is told below.
  }
  throw new Error(words.notJson(name));
}
