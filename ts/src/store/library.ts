import { describe, SamplerError } from '../errors.js';
import { faultOf, isObject, readStory, type StoredStory } from './story.js';

const format = 'quillmate-stories';

/** The stories as the text of a JSON file. */
export function toText(stories: readonly StoredStory[]): string {
  return JSON.stringify({ format, version: 1, stories }, null, 1);
}

/**
 * The stories of such a text, all of them checked.
 * @throws SamplerError INVALID_EXPORT, STORE_RECORD_UNKNOWN
 */
export function fromText(text: unknown): StoredStory[] {
  const refusal = (detail: string): Error => new SamplerError('INVALID_EXPORT', { detail });
  if (typeof text !== 'string') throw refusal(`it is ${describe(text)}`);
  const file = parse(text);
  if (!isObject(file)) throw refusal('it is no JSON object');
  if (file.format !== format) throw refusal(`its format is ${describe(file.format)}`);
  if (file.version !== 1) throw refusal(`its version is ${describe(file.version)}, and this library reads version 1`);
  if (!Array.isArray(file.stories)) throw refusal(`its stories are ${describe(file.stories)}`);
  const ids = new Set<unknown>();
  return file.stories.map((record: unknown, index) => {
    if (!isObject(record)) throw refusal(`story ${index} is ${describe(record)}`);
    const { id, revision, createdAt, updatedAt } = record;
    if (typeof id !== 'string' || ids.has(id))
      throw refusal(`story ${index} has the id ${describe(id)}, which is no new text`);
    ids.add(id);
    const story = readStory({ ...record, id, version: record.version });
    const fault = faultOf(record);
    if (fault !== undefined) throw refusal(`in story ${index} the ${fault}`);
    for (const [name, value] of Object.entries({ revision, createdAt, updatedAt })) {
      if (!Number.isSafeInteger(value)) throw refusal(`${name} of story ${index} is ${describe(value)}`);
    }
    return story;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
