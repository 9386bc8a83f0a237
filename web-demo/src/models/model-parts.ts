/**
 * Of the files of a folder, those that its model needs: its settings, its tokenizer, one model and the weights beside it. A
 * folder of the hub often holds the same model in several precisions, of which only one is used.
 *
 * Where it cannot be told which model is meant, all of them are returned, and loadModel says so.
 */
export function partsOf(files: readonly File[]): File[] {
  const models = files.filter(({ name }) => name.endsWith('.onnx'));
  const quantized = models.filter(({ name }) => name === 'model_quantized.onnx');
  const chosen = quantized.length > 0 ? quantized : models;
  const settings = settingsNames.flatMap((name) => {
    // The folder's own, before those of the folders in it.
    const [file] = files.filter((file) => file.name === name).sort((a, b) => depth(a) - depth(b));
    return file ? [file] : [];
  });
  const weights = files.filter(({ name }) =>
    chosen.some((model) => name.startsWith(model.name) && name !== model.name),
  );
  return [...settings, ...chosen, ...weights];
}

const settingsNames = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];

const depth = ({ webkitRelativePath }: File): number => webkitRelativePath.split('/').length;
