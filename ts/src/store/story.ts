import { describe, SamplerError } from '../errors.js';
import type { GeneratorState } from '../generator-state.js';

/** What a page of writing has to keep. It makes sense only as a whole, so it is stored and replaced as a whole. */
export interface Story<Data = unknown> {
  readonly id: string;
  readonly text: string;
  /** Of the generator that goes on with the text; null before there is one. */
  readonly state: GeneratorState | null;
  /** The page's own: a title, settings, whatever can be cloned. */
  readonly data?: Data | undefined;
  /** The page's own, too, but part of the content, which a list of stories leaves out: whatever can be cloned. */
  readonly body?: unknown;
}

/** A story as it lies in the store. Times are milliseconds since 1970. */
export interface StoredStory<Data = unknown> extends Story<Data> {
  readonly version: 1;
  /** How often it was saved. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** All of a stored story but its content. */
export type StorySummary<Data = unknown> = Omit<StoredStory<Data>, 'text' | 'state' | 'body'>;

/** What may lie in the store: a story in the shape of some version. */
export interface StoryRecord {
  readonly id: string;
  readonly version: unknown;
}

/**
 * Reads a record of any version that is known; the place where older ones are brought to today's shape.
 * @throws SamplerError STORE_RECORD_UNKNOWN
 */
export function readStory<Data>(record: StoryRecord): StoredStory<Data> {
  checkVersion(record);
  return record as StoredStory<Data>;
}

/** The same for what a list of stories shows of one. */
export function readSummary<Data>(record: StoryRecord): StorySummary<Data> {
  checkVersion(record);
  return record as StorySummary<Data>;
}

function checkVersion({ id, version }: StoryRecord): void {
  if (version !== 1) {
    throw new SamplerError('STORE_RECORD_UNKNOWN', { detail: describe(id), value: describe(version) });
  }
}

/** The part of a story's content that is not what it has to be, with what it is; undefined where both are. */
export function faultOf({ text, state }: { readonly text?: unknown; readonly state?: unknown }): string | undefined {
  if (typeof text !== 'string') return `text is ${describe(text)}`;
  if (state !== null && !isObject(state)) return `state is ${describe(state)}`;
  return undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function summaryOf<Data>(story: StoredStory<Data>): StorySummary<Data> {
  const { id, data, version, revision, createdAt, updatedAt } = story;
  return { id, data, version, revision, createdAt, updatedAt };
}
