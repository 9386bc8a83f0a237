import { Tokenizer } from '@huggingface/tokenizers';

/** Text to the tokens of a model and back, whichever model it is. */
export class TextTokenizer {
  readonly #tokenizer: Tokenizer;
  /** Opens a text, where the model has such a token. */
  readonly #startId: number | undefined;

  /** @param vocabulary the content of tokenizer.json @param settings of tokenizer_config.json */
  constructor(vocabulary: object, settings: { readonly bos_token?: unknown }) {
    this.#tokenizer = new Tokenizer(vocabulary, settings);
    const { bos_token: start } = settings;
    // Older exports have the token's whole description there.
    const name = typeof start === 'object' && start !== null && 'content' in start ? start.content : start;
    this.#startId = typeof name === 'string' ? this.#tokenizer.token_to_id(name) : undefined;
  }

  /** The tokens that a model is to go on from. @param most of all tokens: of a longer text the last ones are left */
  prompt(text: string, most = Infinity): number[] {
    const { ids } = this.#tokenizer.encode(text);
    const start = this.#startId;
    if (start === undefined) return ids.slice(-most);
    const own = ids[0] === start ? ids.slice(1) : ids;
    return [start, ...own.slice(Math.max(0, own.length + 1 - most))];
  }

  /**
   * The text of tokens. A character may be spread over several of them: while more are to come, its first bytes are held
   * back, so that the text only ever grows. All are decoded at each call, which makes a streamed text equal to the whole one.
   */
  text(tokens: readonly number[], moreToCome = true): string {
    if (tokens.length === 0) return ''; // which the library refuses to decode
    const text = this.#decode(tokens, true);
    return moreToCome ? text.replace(/\ufffd+$/, '') : text;
  }

  /** What a single token writes; its name in the vocabulary where that is no text. */
  label(id: number): string {
    const text = this.#decode([id], false);
    return text === '' || text.includes('\ufffd') ? (this.#tokenizer.id_to_token(id) ?? `#${id}`) : text;
  }

  #decode(tokens: readonly number[], skipSpecial: boolean): string {
    return this.#tokenizer.decode([...tokens], {
      skip_special_tokens: skipSpecial,
      clean_up_tokenization_spaces: false,
    });
  }
}
