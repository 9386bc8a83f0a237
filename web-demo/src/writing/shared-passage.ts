import type { ModelIdentity } from 'quillmate-sampler';
import { isObject } from '../is-object';
import { words } from '../words';
import { longestRun, readDials, type DialTexts } from './dials';
import { countTokens, type Take } from './take';

const passageFormat = 'quillmate-passage';

/** A passage as one writer hands it to another: all it takes to write it again, and to tell whether it came out the same. */
export interface SharedPassage {
  readonly format: typeof passageFormat;
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

/** So many tokens are drawn for a link at most: whoever opens it did not choose how long the machine is to write. */
export const longestShared = 10 * longestRun;

export function toShared(take: Take, title: string): SharedPassage {
  const { state, begin, afterSpace } = take;
  return {
    format: passageFormat,
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

/** The dials of the story that it becomes. The passage itself may have more tokens than one press of Continue writes. */
export function dialsOf({ seed, settings, tokens }: Pick<SharedPassage, 'seed' | 'settings' | 'tokens'>): DialTexts {
  return {
    seed,
    temperature: String(settings.temperature),
    topP: String(settings.topP),
    topK: String(settings.topK),
    length: String(Math.min(tokens, longestRun)),
  };
}

/**
 * Null for anything else: links get cut, and files change. All is looked at, since a story is made of it before the
 * machine could refuse it.
 */
export function readShared(value: unknown): SharedPassage | null {
  if (!isObject(value)) return null;
  const { format, version, title, prompt, begin, afterSpace, seed, tokens, model, chain } = value;
  if (format !== passageFormat || version !== 1) return null;
  if (typeof title !== 'string' || typeof afterSpace !== 'boolean' || typeof seed !== 'string') return null;
  if (!isPrompt(prompt) || !isWhole(begin, 0, prompt.length)) return null;
  const given = prompt.length - begin;
  if (!isWhole(tokens, Math.max(1, given), given + longestShared)) return null;
  if ((model !== null && !isIdentity(model)) || (chain !== null && typeof chain !== 'string')) return null;
  const settings = readSettings(value.settings);
  if (!settings) return null;
  const reading = readDials(dialsOf({ seed, settings, tokens }));
  if ('problems' in reading || reading.dials.seed !== seed) return null;
  return { format, version, title, prompt, begin, afterSpace, seed, settings, tokens, model, chain };
}

/** Numbers of any size, and none but those that the sampler knows. */
function readSettings(value: unknown): SharedPassage['settings'] | null {
  if (!isObject(value)) return null;
  const { temperature, topK, topP } = value;
  const numbers = typeof temperature === 'number' && typeof topK === 'number' && typeof topP === 'number';
  return numbers ? { temperature, topK, topP } : null;
}

function isPrompt(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => isWhole(token, 0, 2 ** 31 - 1));
}

function isIdentity(value: unknown): value is ModelIdentity {
  return isObject(value) && Object.values(value).every((field) => typeof field === 'string');
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Undefined for a file of another kind, null for a passage that is not whole. */
export async function readSharedFile(file: File): Promise<SharedPassage | null | undefined> {
  if (!/\.json$/i.test(file.name)) return undefined;
  try {
    const value: unknown = JSON.parse(await file.text());
    return isObject(value) && value.format === passageFormat ? readShared(value) : undefined;
  } catch {
    return file.name.endsWith(`.${words.share.fileKind}`) ? null : undefined;
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
