import { loadFailed } from './load-failed.js';

/** What the runtime needs to know of a model beside its graph: from the config.json that lies with it. */
export interface ModelConfig {
  readonly name: string;
  /** How many tokens the model can see at once. */
  readonly contextLength: number;
  /** The token that ends a text; the first, where there are several. */
  readonly eosTokenId: number | undefined;
  readonly vocabSize: number | undefined;
  /** Heads of the keys and values, and the length of one key. */
  readonly heads: number | undefined;
  readonly headSize: number | undefined;
}

/** The fields that are read, under the names that Llama-like and GPT-2-like models give them. */
type Field =
  | '_name_or_path'
  | 'model_type'
  | 'max_position_embeddings'
  | 'n_positions'
  | 'eos_token_id'
  | 'vocab_size'
  | 'num_key_value_heads'
  | 'num_attention_heads'
  | 'n_head'
  | 'head_dim'
  | 'hidden_size'
  | 'n_embd';

/** @throws SamplerError MODEL_LOAD_FAILED */
export function readModelConfig(bytes: Uint8Array): ModelConfig {
  const fields = parse(bytes);
  const number = (...names: readonly Field[]): number | undefined =>
    names.map((name) => fields[name]).find((value) => typeof value === 'number');

  const contextLength = number('max_position_embeddings', 'n_positions');
  if (contextLength === undefined || !Number.isInteger(contextLength) || contextLength < 1) {
    throw loadFailed('config.json does not tell the length of the context; add "max_position_embeddings"');
  }
  const queryHeads = number('num_attention_heads', 'n_head');
  const width = number('hidden_size', 'n_embd');
  const { _name_or_path: path, model_type: type, eos_token_id: eos } = fields;
  const name = [path, type].find((text) => typeof text === 'string' && text !== '');
  const firstEos: unknown = Array.isArray(eos) ? eos[0] : eos;
  return {
    name: typeof name === 'string' ? name : 'unnamed',
    contextLength,
    eosTokenId: typeof firstEos === 'number' ? firstEos : undefined,
    vocabSize: number('vocab_size'),
    heads: number('num_key_value_heads') ?? queryHeads,
    headSize: number('head_dim') ?? (queryHeads && width && width / queryHeads),
  };
}

function parse(bytes: Uint8Array): Readonly<Partial<Record<Field, unknown>>> {
  let config: unknown;
  try {
    config = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw loadFailed('config.json is not valid JSON; fetch it again', cause);
  }
  if (typeof config !== 'object' || config === null) {
    throw loadFailed('config.json holds no object; use the one that was published with the model');
  }
  return config;
}
