import type { ModelIdentity } from 'quillmate-sampler';
import { countTokens, type Take } from './take';

/** A passage as one writer hands it to another: all it takes to write it again, and to tell whether it came out the same. */
export interface SharedPassage {
  readonly format: 'quillmate-passage';
  readonly version: 1;
  readonly title: string;
  /** What the model had read, and the first words where they were chosen and not drawn. */
  readonly prompt: readonly number[];
  /** Where the passage's own words begin in it, or at its end. */
  readonly begin: number;
  readonly afterSpace: boolean;
  readonly seed: string;
  readonly settings: Take['state']['settings'];
  /** How many tokens the passage has. */
  readonly tokens: number;
  readonly model: ModelIdentity | null;
  /** Of all the model's numbers that it was drawn from. */
  readonly chain: string | null;
}

export function toShared(take: Take, title: string): SharedPassage {
  const { state, begin, afterSpace } = take;
  return {
    format: 'quillmate-passage',
    version: 1,
    title,
    prompt: state.tokens.slice(0, state.promptLength),
    begin,
    afterSpace,
    seed: state.seed,
    settings: state.settings,
    tokens: countTokens(take),
    model: state.model ?? null,
    chain: state.audit?.chain ?? null,
  };
}

/** Null for anything else: links get cut, and files change. */
export function readShared(value: unknown): SharedPassage | null {
  if (typeof value !== 'object' || value === null) return null;
  const { format, version, title, prompt, begin, seed, settings, tokens } = value as Partial<SharedPassage>;
  const whole = (number: unknown, most: number): boolean =>
    Number.isInteger(number) && (number as number) >= 0 && (number as number) <= most;
  const sound =
    format === 'quillmate-passage' &&
    version === 1 &&
    typeof title === 'string' &&
    Array.isArray(prompt) &&
    prompt.every((token) => whole(token, 2 ** 31 - 1)) &&
    whole(begin, prompt.length) &&
    typeof seed === 'string' &&
    typeof settings === 'object' &&
    whole(tokens, 100_000);
  return sound ? (value as SharedPassage) : null;
}

/** Null for a file of another kind. */
export async function readSharedFile(file: File): Promise<SharedPassage | null> {
  if (!file.name.endsWith('.json')) return null;
  try {
    return readShared(JSON.parse(await file.text()));
  } catch {
    return null;
  }
}

/** What a link holds: short enough for a message. */
export async function toLinkText(passage: SharedPassage): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(passage)), new CompressionStream('deflate-raw'));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Null for a link that is not whole. */
export async function fromLinkText(text: string): Promise<SharedPassage | null> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const json = await through(bytes, new DecompressionStream('deflate-raw'));
    return readShared(JSON.parse(new TextDecoder().decode(json)));
  } catch {
    return null;
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
