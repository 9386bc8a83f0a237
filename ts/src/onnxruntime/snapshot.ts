import type { ModelIdentity } from '../model.js';
import { sha256 } from './sha256.js';

/** Of the shape of snapshots. */
const version = 1;

/** A beginning of what a model sees of a text, and its keys and values. */
export interface Memory {
  readonly tokens: readonly number[];
  /** How many of the tokens were evaluated in the first call; 0 where that makes no difference. */
  readonly first: number;
  /** Tensor after tensor, in the order of the graph's past inputs, each head after head, as the runtime has them. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** What a model remembers of a text, to be stored as it is: structured cloning keeps all of it. */
export interface ModelSnapshot extends Memory {
  readonly version: 1;
  /** Of the model, which is the only one that can make use of it. */
  readonly identity: ModelIdentity;
  /** SHA-256 of everything else. */
  readonly hash: string;
}

export async function sealed(identity: ModelIdentity, memory: Memory): Promise<ModelSnapshot> {
  return { version, identity, ...memory, hash: await hashOf(identity, memory) };
}

/** What is in a snapshot; undefined where it is none, of another model, or not as it was made. */
export async function opened(identity: ModelIdentity, given: unknown): Promise<Memory | undefined> {
  if (typeof given !== 'object' || given === null) return undefined;
  const { tokens, first, data, hash } = given as ModelSnapshot;
  if (!(data instanceof Uint8Array)) return undefined;
  // Whatever else is missing or another, the hash is not this one.
  return (await hashOf(identity, { tokens, first, data })) === hash ? { tokens, first, data } : undefined;
}

async function hashOf(identity: ModelIdentity, { tokens, first, data }: Memory): Promise<string> {
  const fields = Object.entries(identity).sort();
  const text = JSON.stringify([version, fields, tokens, first, await sha256(data)]);
  return sha256(new TextEncoder().encode(text));
}
