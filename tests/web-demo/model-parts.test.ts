import { expect, it } from 'vitest';
import { partsOf } from '../../web-demo/src/models/model-parts.js';

/** As a chooser of folders gives it. */
const file = (path: string): File =>
  Object.defineProperty(new File([], path.split('/').at(-1)!), 'webkitRelativePath', { value: path });
const parts = (...paths: string[]): string[] => partsOf(paths.map(file)).map((part) => part.webkitRelativePath);

it('takes one precision of a model, with its weights, and the folder’s own settings', () => {
  const needed = ['m/config.json', 'm/tokenizer.json', 'm/tokenizer_config.json', 'm/onnx/model_quantized.onnx', 'm/onnx/model_quantized.onnx_data']; // prettier-ignore
  const others = ['m/old/config.json', 'm/README.md', 'm/onnx/model.onnx', 'm/onnx/model.onnx_data', 'm/model.safetensors']; // prettier-ignore
  expect(parts(...others, ...needed)).toEqual(needed);
});

it('takes the only model there is, and leaves it to the loader to say that there are several', () => {
  expect(parts('m/model_q4.onnx', 'm/model_q4.onnx_data')).toEqual(['m/model_q4.onnx', 'm/model_q4.onnx_data']);
  expect(parts('m/model_q4.onnx', 'm/model.onnx')).toEqual(['m/model_q4.onnx', 'm/model.onnx']);
  expect(parts('m/config.json')).toEqual(['m/config.json']);
});
