import type { GeneratorState, Story } from 'quillmate-sampler/store';
import { isObject } from '../is-object';
import type { MarkedPlace, Place } from '../story/story-document';
import { firstDials, readDials, type DialName, type DialTexts } from '../writing/dials';
import { continuationText } from '../writing/prompt';
import type { Take } from '../writing/take';

/** The story that a new library begins with; the only one that early versions of this page had. */
export const firstStoryId = 'story';

/** What a list shows of a story. */
export interface StoryLabel {
  /** Empty until the writer names it. */
  readonly title: string;
  /** How the text begins: what stands for a title until there is one. */
  readonly opening: string;
  readonly words: number;
  /** When the writer deleted it, in milliseconds since 1970; null for one that is there. */
  readonly deletedAt: number | null;
}

/** A run that was under way when the story was saved. */
export interface SavedRun {
  /** The takes that were being written, and how many tokens each was to have. */
  readonly takes: readonly { readonly id: string; readonly until: number }[];
  /** The one that was being written into the story, and where. */
  readonly inStory: (Place & { readonly take: string }) | null;
}

/** Everything on the desk, as it is kept: the text as the story's own, this as its data and its body. */
export interface SavedDesk {
  readonly label: StoryLabel;
  readonly dials: DialTexts;
  readonly takes: readonly Take[];
  readonly places: readonly MarkedPlace[];
  readonly caret: number;
  readonly run: SavedRun | null;
}

interface Data extends StoryLabel {
  readonly dials: DialTexts;
  readonly run: SavedRun | null;
}

interface Body {
  /** Each as JSON: a story has hundreds, and text is copied sooner than objects are. */
  readonly takes: readonly string[];
  readonly places: readonly MarkedPlace[];
  readonly caret: number;
}

const dialNames: readonly DialName[] = ['seed', 'temperature', 'topK', 'topP', 'length'];

export function toStory(id: string, text: string, desk: SavedDesk): Story {
  const { label, dials, takes, places, caret, run } = desk;
  const data: Data = { ...label, dials, run };
  const body: Body = { takes: takes.map(toJson), places, caret };
  return { id, text, state: null, data, body };
}

/** What this page did not write is left out: the text is still good then, and is the writer's own. */
export function fromStory({ text, state, data, body }: Omit<Story, 'id'>): Omit<SavedDesk, 'label'> {
  const dials = dialsOf(data);
  if (state) return { ...firstVersion(text, state, data), dials };
  const empty = { dials, takes: [], places: [], caret: text.length, run: null };
  if (!isObject(body) || !Array.isArray(body.takes) || !Array.isArray(body.places)) return empty;
  const takes = body.takes.flatMap(readTake);
  const known = new Set<unknown>(takes.map(({ id }) => id));
  const isPlace = (place: unknown): place is MarkedPlace =>
    isObject(place) && known.has(place.take) && isCount(place.to) && isCount(place.from) && place.to <= text.length;
  const isRun = (run: unknown): run is SavedRun =>
    isObject(run) &&
    Array.isArray(run.takes) &&
    run.takes.every((take) => isObject(take) && known.has(take.id) && isCount(take.until)) &&
    (run.inStory === null || (isPlace(run.inStory) && run.inStory.from <= run.inStory.to));
  const places = body.places.filter(isPlace).filter(({ from, to }) => from < to);
  const caret = isCount(body.caret) ? Math.min(body.caret, text.length) : text.length;
  return { dials, takes, places, caret, run: isObject(data) && isRun(data.run) ? data.run : null };
}

/** The take that was written out so, if it is one. Whether its state is a generator's, the sampler finds when it is used. */
function readTake(text: unknown): Take[] {
  const take = typeof text === 'string' ? parse(text) : undefined;
  if (!isObject(take) || !isObject(take.state)) return [];
  const { id, passage, begin, wanted } = take;
  const { seed, tokens, promptLength, settings } = take.state;
  const right =
    [id, passage, take.text, seed].every((value) => typeof value === 'string') &&
    [take.afterSpace, take.starred].every((value) => typeof value === 'boolean') &&
    [begin, wanted, promptLength].every(isCount) &&
    isObject(settings) &&
    [settings.temperature, settings.topK, settings.topP].every(Number.isFinite) &&
    Array.isArray(tokens) &&
    tokens.every(isCount) &&
    tokens.length >= (begin as number);
  return right ? [take as unknown as Take] : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The page once kept one passage, at the end of the text. */
function firstVersion(text: string, state: GeneratorState, data: unknown): Omit<SavedDesk, 'label' | 'dials'> {
  const empty = { takes: [], places: [], caret: text.length, run: null };
  if (!isObject(data) || !isObject(data.passage)) return empty;
  const { start, wanted } = data.passage;
  if (!isCount(start) || !isCount(wanted) || start > text.length) return empty;
  const take: Take = {
    id: 'first',
    passage: 'first',
    state,
    begin: state.promptLength,
    wanted,
    afterSpace: continuationText(text.slice(0, start), ' ') === '',
    text: text.slice(start),
    starred: false,
  };
  const place = { take: take.id, from: start, to: text.length };
  const run = isCount(data.until) ? { takes: [{ id: take.id, until: data.until }], inStory: place } : null;
  return { ...empty, takes: [take], places: text.length > start ? [place] : [], run };
}

/** Null for a record without one, such as the page wrote when it had one story only. */
export function readStoryLabel(data: unknown): StoryLabel | null {
  if (!isObject(data) || typeof data.title !== 'string') return null;
  const { title, opening, words, deletedAt } = data;
  return {
    title,
    opening: typeof opening === 'string' ? opening : '',
    words: isCount(words) ? words : 0,
    deletedAt: isCount(deletedAt) ? deletedAt : null,
  };
}

/** A dial that is missing, or whose text it does not take, is the first one: a story from elsewhere may hold anything. */
function dialsOf(data: unknown): DialTexts {
  const first = firstDials();
  if (!isObject(data) || !isObject(data.dials)) return first;
  const texts: Record<DialName, string> = { ...first };
  for (const name of dialNames) {
    const text = data.dials[name];
    if (typeof text === 'string') texts[name] = text;
  }
  const reading = readDials(texts);
  const problems = 'problems' in reading ? reading.problems : {};
  for (const name of dialNames) if (name in problems) texts[name] = first[name];
  return texts;
}

const jsonTexts = new WeakMap<Take, string>();

/** Takes do not change, so that each is written out once. */
function toJson(take: Take): string {
  let text = jsonTexts.get(take);
  if (text === undefined) jsonTexts.set(take, (text = JSON.stringify(take)));
  return text;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
