import { loadSampler } from 'quillmate-sampler';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { StoryTokenizer } from './story-tokenizer';

type Sampler = Awaited<ReturnType<typeof loadSampler>>;

/** Everything that must be loaded before a word can be written. */
export interface WritingEngine {
  readonly sampler: Sampler;
  readonly model: OnnxModel;
  readonly tokenizer: StoryTokenizer;
}

export interface LoadedBytes {
  readonly loaded: number;
  readonly total: number;
}

const modelFolder = new URL('models/quill-tales/', document.baseURI);

export async function loadWritingEngine(onProgress: (bytes: LoadedBytes) => void): Promise<WritingEngine> {
  const files = new Map<string, LoadedBytes>();
  // When one part fails the others are pointless.
  const abort = new AbortController();
  const { signal } = abort;
  try {
    const [sampler, model, tokenizer] = await Promise.all([
      loadSampler(),
      loadModel({
        url: modelFolder,
        invariant: true, // as its probe finds in the package's tests; the writer need not wait for that
        signal,
        onProgress: ({ file, loaded, total }) => {
          files.set(file, { loaded, total: total ?? 0 });
          onProgress(sum(files.values()));
        },
      }),
      StoryTokenizer.load(modelFolder, signal),
    ]);
    return { sampler, model, tokenizer };
  } catch (error) {
    abort.abort();
    throw error;
  }
}

function sum(files: Iterable<LoadedBytes>): LoadedBytes {
  let loaded = 0;
  let total = 0;
  for (const file of files) {
    loaded += file.loaded;
    total += file.total;
  }
  return { loaded, total };
}
