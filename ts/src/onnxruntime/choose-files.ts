import { loadFailed } from './load-failed.js';
import type { ModelSource } from './model-files.js';

/**
 * Finds a model among the files of a folder, as a page gets them from a chooser or a drop.
 * @param wanted the model's file, with as much of its path as tells it from others
 * @throws SamplerError MODEL_LOAD_FAILED that lists what is there
 */
export function chooseFiles(files: readonly File[], wanted: string | undefined): ModelSource {
  const all = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  const ending = (end: string) => all.filter(({ path }) => `/${path}`.endsWith(`/${end}`));
  const models = all.filter(({ path }) => path.endsWith('.onnx'));
  const names = (list: typeof all): string => list.map(({ path }) => path).join(', ') || 'none';

  // The folder's own, before those of the folders in it.
  const [config] = ending('config.json').sort((a, b) => a.path.length - b.path.length);
  if (config === undefined) throw loadFailed(`there is no config.json among the files (${names(all)}); add it`);
  const named = ending(wanted ?? 'model_quantized.onnx');
  const found = named.length === 0 && wanted === undefined ? models : named;
  const [model] = found;
  if (model === undefined || found.length > 1) {
    const what = wanted === undefined ? '.onnx' : `"${wanted}"`;
    throw loadFailed(
      `there are ${found.length} files ${what} (of models: ${names(models)}); say with file which one it is`,
    );
  }
  const folder = model.path.replace(/[^/]*$/, '');
  const beside = all
    .filter(({ path }) => path.startsWith(folder))
    .map(({ file, path }) => [path.slice(folder.length), file] as const);
  return {
    config: config.file,
    model: model.file,
    modelName: model.path,
    beside: new Map(beside),
    remedy: 'add it to the files',
  };
}
