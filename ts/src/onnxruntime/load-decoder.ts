import type { ModelIdentity } from '../model.js';
import { Decoder } from './decoder.js';
import type { EvaluatorOptions, ModelFacts } from './evaluator.js';
import { loadFailed, reasonOf } from './load-failed.js';
import { readModelConfig } from './model-config.js';
import { readModelFiles, type LoadProgress, type ModelFiles } from './model-files.js';
import { isInvariant } from './probe.js';
import { keepRuntime, runtimeVersion, startRuntime } from './runtime.js';
import { Session } from './session.js';
import { sha256 } from './sha256.js';
import { findGpu } from './webgpu.js';

/** A model where it runs. */
export interface LoadedDecoder {
  readonly decoder: Decoder;
  readonly facts: ModelFacts;
  /** Frees its memory, once it is done with what it was asked. */
  readonly release: () => void;
}

/** Reads the files while the runtime starts, and puts the two together. */
export async function loadDecoder(
  { source, runtimeBaseUrl: baseUrl, executionProvider, threads, invariant: known }: EvaluatorOptions,
  onProgress: (progress: LoadProgress) => void,
  signal?: AbortSignal,
): Promise<LoadedDecoder> {
  const gpu = executionProvider === 'webgpu' ? await findGpu() : undefined;
  const options = { executionProvider, threads, baseUrl };
  const [{ files, config }, runtime] = await Promise.all([
    readModelFiles(source, onProgress, signal).then((files) => ({ files, config: readModelConfig(files.config) })),
    startRuntime(options),
  ]);
  let session: Session | undefined;
  try {
    // Hashed while the session is being made.
    const hashes = hashesOf(files);
    session = await Session.create(runtime, files, config);
    signal?.throwIfAborted();
    const { contextLength } = config;
    const invariant = known ?? (await probe(session, files.modelName, contextLength));
    await files.settle(true);
    const decoder = new Decoder(session, contextLength, invariant);
    return {
      decoder,
      facts: {
        identity: {
          name: config.name,
          ...(await hashes),
          runtime: 'onnxruntime-web',
          runtimeVersion,
          executionProvider,
          ...(gpu !== undefined && { gpu }),
          threads: String(threads),
          invariant: invariant ? 'yes' : 'no',
        },
        vocabSize: session.vocabSize,
        contextLength,
        eosTokenIds: config.eosTokenIds,
      },
      release() {
        if (!decoder.sound) return;
        decoder.dispose();
        keepRuntime(options, runtime);
      },
    };
  } catch (thrown) {
    if (session?.sound ?? !(thrown instanceof WebAssembly.RuntimeError)) {
      session?.dispose();
      keepRuntime(options, runtime);
    }
    if (signal?.aborted !== true) await files.settle(false);
    throw thrown;
  }
}

/** The first that the model evaluates: what does not run at all is found here. */
async function probe(session: Session, name: string, contextLength: number): Promise<boolean> {
  try {
    return await isInvariant(session, contextLength);
  } catch (thrown) {
    throw loadFailed(`${name} does not run (${reasonOf(thrown)}); see that its config.json belongs to it`, thrown);
  }
}

/** Of the files, which decide the bits of a row and so of a text. */
async function hashesOf({ config, model, data }: ModelFiles): Promise<ModelIdentity> {
  const [configHash, modelHash] = await Promise.all([sha256(config), sha256(model)]);
  const dataHashes = await Promise.all(data.map(async ({ location, bytes }) => [location, await sha256(bytes)]));
  return {
    configHash,
    modelHash,
    ...(data.length > 0 && { dataHash: await sha256(new TextEncoder().encode(JSON.stringify(dataHashes))) }),
  };
}
