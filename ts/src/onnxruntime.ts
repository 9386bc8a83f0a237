/** @module quillmate-sampler/onnxruntime */
/// <reference lib="esnext.disposable" preserve="true" />
export { loadModel, type LoadModelOptions } from './onnxruntime/load-model.js';
export type { FileContent, LoadProgress } from './onnxruntime/model-files.js';
export type { EvaluateOptions, OnnxModel } from './onnxruntime/onnx-model.js';
export type { ExecutionProvider } from './onnxruntime/runtime.js';
export type { ModelRow } from './onnxruntime/session.js';
export type { ModelSnapshot } from './onnxruntime/snapshot.js';
export type { Model, ModelIdentity, ModelOptions } from './model.js';
export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
