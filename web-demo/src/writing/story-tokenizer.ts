import { Tokenizer } from '@huggingface/tokenizers';
import { promptText } from './prompt';

/** Only this much of a long story is encoded; far more than the model can see. */
const tailCharacters = 8000;

/** Leaves room in the model's context for a usual continuation, so that its window does not have to move. */
const roomToWrite = 128;

/** Stories to token ids and back. */
export class StoryTokenizer {
  readonly #tokenizer: Tokenizer;
  /** Opens every text. */
  readonly #startId: number;

  /** @param vocabulary the content of tokenizer.json @param settings of tokenizer_config.json */
  constructor(vocabulary: object, settings: { readonly bos_token?: unknown }) {
    this.#tokenizer = new Tokenizer(vocabulary, settings);
    const startId = this.#tokenizer.token_to_id(String(settings.bos_token));
    if (startId === undefined) throw new Error('tokenizer_config.json names no bos_token that tokenizer.json has');
    this.#startId = startId;
  }

  static async load(folder: URL, signal: AbortSignal): Promise<StoryTokenizer> {
    const [vocabulary, settings] = await Promise.all([
      fetchObject(new URL('tokenizer.json', folder), signal),
      fetchObject(new URL('tokenizer_config.json', folder), signal),
    ]);
    return new StoryTokenizer(vocabulary, settings);
  }

  /** The token that opens every text, then the end of the story: as much of it as the model can use. */
  prompt(story: string, contextLength: number): number[] {
    const tail = promptText(story.slice(-tailCharacters));
    const { ids } = this.#tokenizer.encode(tail, { add_special_tokens: false });
    return [this.#startId, ...ids.slice(roomToWrite + 1 - contextLength)];
  }

  /**
   * The text of generated tokens. A character may be spread over several tokens: while more are to come,
   * its first bytes are held back, so what is shown only ever grows. Each call decodes everything,
   * which is what makes the streamed text equal to the text decoded at once.
   */
  text(tokens: readonly number[], moreToCome: boolean): string {
    if (tokens.length === 0) return ''; // which the library refuses to decode
    const text = this.#tokenizer.decode([...tokens], {
      skip_special_tokens: true,
      clean_up_tokenization_spaces: false,
    });
    return moreToCome ? text.replace(/\ufffd+$/, '') : text;
  }
}

async function fetchObject(url: URL, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url.pathname}: the server answers ${response.status}`);
  const value: unknown = await response.json();
  if (typeof value !== 'object' || value === null) throw new Error(`${url.pathname} is no JSON object`);
  return value as Record<string, unknown>;
}
