import type { ModelIdentity } from '../model.js';
import { Decoder } from './decoder.js';
import type { EvaluatorOptions, ModelFacts } from './evaluator.js';
import { loadFailed, reasonOf } from './load-failed.js';
import { readModelConfig } from './model-config.js';
import { readModelFiles, type LoadProgress, type ModelFiles } from './model-files.js';
import { isInvariant } from './probe.js';
import { runtimeVersion, startRuntime } from './runtime.js';
import { Session } from './session.js';
import { sha256 } from './sha256.js';

/** Reads the files while the runtime starts, and puts the two together. */
export async function loadDecoder(
  { source, runtimeBaseUrl, threads, invariant: known }: EvaluatorOptions,
  onProgress: (progress: LoadProgress) => void,
  signal?: AbortSignal,
): Promise<{ readonly decoder: Decoder; readonly facts: ModelFacts }> {
  const [{ files, config }, runtime] = await Promise.all([
    readModelFiles(source, onProgress, signal).then((files) => ({ files, config: readModelConfig(files.config) })),
    startRuntime(threads, runtimeBaseUrl),
  ]);
  try {
    // Hashed while the session is being made.
    const [origin, session] = await Promise.all([
      identify(config.name, files, threads),
      Session.create(runtime, files, config),
    ]);
    signal?.throwIfAborted();
    const { contextLength } = config;
    const invariant = known ?? probe(session, files.modelName, contextLength);
    await files.settle(true);
    return {
      decoder: new Decoder(session, contextLength, invariant),
      facts: {
        identity: { ...origin, invariant: invariant ? 'yes' : 'no' },
        vocabSize: session.vocabSize,
        contextLength,
        eosTokenIds: config.eosTokenIds,
      },
    };
  } catch (thrown) {
    if (signal?.aborted !== true) await files.settle(false);
    throw thrown;
  }
}

/** The first that the model evaluates: what does not run at all is found here. */
function probe(session: Session, name: string, contextLength: number): boolean {
  try {
    return isInvariant(session, contextLength);
  } catch (thrown) {
    throw loadFailed(`${name} does not run (${reasonOf(thrown)}); see that its config.json belongs to it`, thrown);
  }
}

/** What decides the bits of a row, and so of a text: the files, the runtime and how it runs. */
async function identify(name: string, { config, model, data }: ModelFiles, threads: number): Promise<ModelIdentity> {
  const [configHash, modelHash] = await Promise.all([sha256(config), sha256(model)]);
  const dataHashes = await Promise.all(data.map(async ({ location, bytes }) => [location, await sha256(bytes)]));
  return {
    name,
    configHash,
    modelHash,
    ...(data.length > 0 && { dataHash: await sha256(new TextEncoder().encode(JSON.stringify(dataHashes))) }),
    runtime: 'onnxruntime-web',
    runtimeVersion,
    executionProvider: 'wasm',
    threads: String(threads),
  };
}
