import { loadSampler, SamplerError, type GeneratorState } from 'quillmate-sampler';
import { loadExact } from 'quillmate-sampler/exact';
import { generate } from 'quillmate-sampler/generate';
import { loadModel, type OnnxModel } from 'quillmate-sampler/onnxruntime';
import { SpeculativeGenerator } from 'quillmate-sampler/speculative';
import { openStore } from 'quillmate-sampler/store';
import { seededGeneration } from 'quillmate-sampler/transformers';

const sampler = await loadSampler();
const model: OnnxModel = await loadModel({ url: 'model' });
const generator = new sampler.Generator(model, [0], { seed: 1n, topP: 0.9 });
export const state: GeneratorState = generator.state();
// @ts-expect-error a setting is a number
sampler.sampleToken([0], { temperature: '1', u: 0 });
export const others = [loadExact, generate, SpeculativeGenerator, openStore, seededGeneration, SamplerError];
