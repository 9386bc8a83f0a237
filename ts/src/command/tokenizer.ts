import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import { CommandFailure, messageOf } from './failure.js';

/** Text to the tokens of a model and back. */
export interface TextTokenizer {
  /** Opened by the token that opens texts, where the model has one. */
  prompt(text: string): number[];
  /** A character may be spread over several tokens: its first bytes are held back, so that a text only ever grows. */
  text(tokens: readonly number[]): string;
}

/** The tokenizer in a model's folder. */
export async function openTokenizer(folder: string): Promise<TextTokenizer> {
  const library = await loadLibrary();
  const vocabulary = await readObject(join(folder, 'tokenizer.json'));
  const settings: { readonly bos_token?: unknown } = await readObject(join(folder, 'tokenizer_config.json'));
  const tokenizer = new library.Tokenizer(vocabulary, settings);
  const start = tokenizer.token_to_id(startName(settings.bos_token) ?? '');
  return {
    prompt: (text) => {
      const { ids } = tokenizer.encode(text);
      return start === undefined || ids[0] === start ? ids : [start, ...ids];
    },
    text: (tokens) => {
      if (tokens.length === 0) return ''; // which the library refuses
      const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
      return tokenizer.decode([...tokens], options).replace(/\ufffd+$/, '');
    },
  };
}

/** Older exports have the token's whole description there. */
function startName(token: unknown): string | undefined {
  const name = typeof token === 'object' && token !== null && 'content' in token ? token.content : token;
  return typeof name === 'string' ? name : undefined;
}

async function loadLibrary(): Promise<{ readonly Tokenizer: typeof Tokenizer }> {
  try {
    return await import('@huggingface/tokenizers');
  } catch (cause) {
    throw new CommandFailure(
      `@huggingface/tokenizers is not there (${messageOf(cause)}); npm install @huggingface/tokenizers@0.2.0`,
      undefined,
      cause,
    );
  }
}

async function readObject(file: string): Promise<object> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new CommandFailure(
      `${file} cannot be read (${messageOf(cause)}); name the folder of the model`,
      undefined,
      cause,
    );
  }
  throw new CommandFailure(`${file} is no JSON object`);
}
