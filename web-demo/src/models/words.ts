/** Every English sentence about models and their files, in one place. */
export const words = {
  title: 'Models',
  bundled: 'quill-tales',
  bundledNote: 'comes with the page',
  about:
    'A folder from Hugging Face’s hub with an ONNX decoder: config.json, tokenizer.json, tokenizer_config.json and the .onnx file. It is read from your disk, stays in this browser, and goes nowhere else.',
  chooseFolder: 'Import a folder',
  chooseFiles: 'Import files',
  remove: (name: string): string => `Delete ${name}`,
  removeShort: 'Delete',
  size: (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`,
  hash: 'SHA-256 of the model’s file',
  columns: { name: 'Model', size: 'Size', hash: 'SHA-256', action: 'Action' },

  trying: 'Trying whether the model loads.',
  storing: (done: number, total: number): string =>
    `Keeping it in this browser: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`,
  progress: 'Import',
  imported: (name: string): string => `${name} is imported.`,
  removed: (name: string): string => `${name} is deleted.`,
  known: (name: string): string => `${name} is here already.`,

  unnamed: 'a model without a name',
  failed: 'The model was not imported, and nothing has changed.',
  notRemoved: 'The model could not be deleted.',
  noStorage: 'This browser has no place where a page can keep files, so models cannot be imported here.',
  missing: (name: string): string => `There is no ${name} among the files; add it.`,
  notJson: (name: string): string => `${name} is no JSON object; see that it is whole.`,
  noAnswer: (path: string, status: number): string => `${path}: the server answers ${status}.`,
} as const;
