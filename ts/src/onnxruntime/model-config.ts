import { loadFailed } from './load-failed.js';

/** What the runtime needs to know of a model beside its graph: from the config.json that lies with it. */
export interface ModelConfig {
  readonly name: string;
  /** How many tokens the model can see at once. */
  readonly contextLength: number;
  /** The tokens that end a text. */
  readonly eosTokenIds: readonly number[];
  readonly vocabSize: number | undefined;
  /** Heads of the keys and values, and the length of one key. */
  readonly heads: number | undefined;
  readonly headSize: number | undefined;
}

/** The fields that are read, under the names that the families of models give them. */
type Field =
  | '_name_or_path'
  | 'model_type'
  | 'max_position_embeddings'
  | 'n_positions'
  | 'n_ctx'
  | 'max_seq_len'
  | 'eos_token_id'
  | 'vocab_size'
  | 'num_key_value_heads'
  | 'num_kv_heads'
  | 'num_attention_heads'
  | 'num_heads'
  | 'n_head'
  | 'n_heads'
  | 'head_dim'
  | 'hidden_size'
  | 'n_embd'
  | 'd_model';

/** @throws SamplerError MODEL_LOAD_FAILED */
export function readModelConfig(bytes: Uint8Array): ModelConfig {
  const fields = parse(bytes);
  const number = (...names: readonly Field[]): number | undefined =>
    names.map((name) => fields[name]).find((value) => typeof value === 'number');

  const contextLength = number('max_position_embeddings', 'n_positions', 'n_ctx', 'max_seq_len');
  if (contextLength === undefined || !Number.isInteger(contextLength) || contextLength < 1) {
    throw loadFailed('config.json does not tell the length of the context; add "max_position_embeddings"');
  }
  const queryHeads = number('num_attention_heads', 'num_heads', 'n_head', 'n_heads');
  const width = number('hidden_size', 'n_embd', 'd_model');
  const { _name_or_path: path, model_type: type, eos_token_id: eos } = fields;
  const name = [path, type].find((text) => typeof text === 'string' && text !== '');
  return {
    name: typeof name === 'string' ? name : 'unnamed',
    contextLength,
    eosTokenIds: [eos].flat().filter((token) => typeof token === 'number'),
    vocabSize: number('vocab_size'),
    heads: number('num_key_value_heads', 'num_kv_heads') ?? queryHeads,
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
  // Of a model that also sees or hears, the part for text describes the decoder.
  const { text_config: text } = config as { readonly text_config?: unknown };
  return typeof text === 'object' ? { ...config, ...text } : config;
}
