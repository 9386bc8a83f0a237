import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import type { Progress } from './progress.js';

/** The decoder in a folder. */
export async function openModel(
  { model: url, file }: { readonly model: string; readonly file: string | undefined },
  progress: Progress,
  signal: AbortSignal,
): Promise<OnnxModel> {
  const model = await loadModel({
    url,
    file,
    signal,
    onProgress: ({ file, loaded, total }) => {
      progress.show(`${file}: ${megabytes(loaded)}${total === undefined ? '' : ` of ${megabytes(total)}`} MB`);
    },
  });
  progress.clear();
  return model;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
