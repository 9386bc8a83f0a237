import type { DialName, DialTexts } from '../writing/dials';

/** The one story of this page, as it is kept. */
export const storyId = 'story';

/** What lies beside the text and the generator's state in the record. */
export interface SavedDesk {
  readonly dials: DialTexts;
  /** Where the machine's passage begins in the text, and how many tokens it was to have. */
  readonly passage: { readonly start: number; readonly wanted: number } | null;
  /** The number of tokens the passage has when the run under way is over; null when nothing runs. */
  readonly until: number | null;
}

const dialNames: readonly DialName[] = ['seed', 'temperature', 'topK', 'topP', 'length'];

/** Null for anything this page did not write: the text is still good then, and is the writer's own. */
export function readSavedDesk(data: unknown): SavedDesk | null {
  if (!isObject(data) || !isObject(data.dials)) return null;
  const { dials, passage, until } = data;
  if (!dialNames.every((name) => typeof dials[name] === 'string')) return null;
  return {
    dials: dials as Record<DialName, string>,
    passage:
      isObject(passage) && isCount(passage.start) && isCount(passage.wanted)
        ? { start: passage.start, wanted: passage.wanted }
        : null,
    until: isCount(until) ? until : null,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
