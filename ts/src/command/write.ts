import { readFile } from 'node:fs/promises';
import { stdout } from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import { loadSampler, type Generator, type Model } from 'quillmate-sampler';
import type { GenerateRequest, ResumeRequest } from './arguments.js';
import { CommandFailure, exitCodes, messageOf, type ExitCode } from './failure.js';
import { openModel } from './model-folder.js';
import { Progress } from './progress.js';
import { checkPlace, readState, writeState } from './state-file.js';
import { openTokenizer, type TextTokenizer } from './tokenizer.js';

/** Writes a text, or goes on with one. */
export async function write(request: GenerateRequest | ResumeRequest, signal: AbortSignal): Promise<ExitCode> {
  const { json, quiet, maxTokens, stop, stateFile } = request;
  const progress = new Progress(quiet);
  const given = request.command === 'generate' ? await promptOf(request) : await readState(request.state);
  const [sampler, tokenizer] = await Promise.all([loadSampler(), openTokenizer(request.model)]);
  const start = (model: Model): Generator =>
    request.command === 'generate'
      ? new sampler.Generator(model, tokenizer.prompt(given), request.options)
      : sampler.Generator.fromState(model, given);
  // What is wrong is told before the model, which may be large, is loaded.
  start(() => []).dispose();
  if (stateFile !== undefined) await checkPlace(stateFile);
  using model = await openModel(request, progress, signal);
  using generator = start(model);
  for (const { field, before, now } of generator.identityChanges) {
    progress.tell(`the model's ${field} was ${before ?? 'not told'} and is ${now ?? 'not told'}: the text may differ`);
  }

  const printer = new Printer(tokenizer, generator, !json);
  printer.print();
  const begin = performance.now();
  const { reason, tokens } = await generator.run({
    maxTokens,
    eosId: model.eosTokenIds,
    signal,
    onToken: () => {
      printer.print();
    },
    ...(stop.length > 0 && { stop, decode: (drawn) => tokenizer.text(drawn) }),
  });
  const seconds = (performance.now() - begin) / 1000;
  const state = generator.state();
  const { text } = printer;
  if (json) stdout.write(`${JSON.stringify({ text, reason, seed: state.seed, tokens, state })}\n`);
  else stdout.write('\n');
  const speed = tokens.length > 0 ? `, ${(tokens.length / seconds).toFixed(0)} a second` : '';
  progress.tell(`seed ${state.seed}, ${tokens.length} tokens${speed}, ended by ${reason}`);
  if (stateFile !== undefined) await writeState(stateFile, state);
  return reason === 'aborted' ? exitCodes.interrupted : exitCodes.done;
}

/** Prints a text as it grows. */
class Printer {
  readonly #tokenizer: TextTokenizer;
  readonly #generator: Generator;
  readonly #prints: boolean;
  #text = '';

  constructor(tokenizer: TextTokenizer, generator: Generator, prints: boolean) {
    this.#tokenizer = tokenizer;
    this.#generator = generator;
    this.#prints = prints;
  }

  /** The whole text, with its prompt. */
  get text(): string {
    return this.#tokenizer.text(this.#generator.tokens);
  }

  print(): void {
    if (!this.#prints) return;
    const { text } = this;
    stdout.write(text.slice(this.#text.length));
    this.#text = text;
  }
}

async function promptOf({ prompt, promptFile }: GenerateRequest): Promise<string> {
  if (promptFile === undefined) return prompt;
  try {
    return promptFile === '-' ? await textOf(process.stdin) : await readFile(promptFile, 'utf8');
  } catch (cause) {
    throw new CommandFailure(`the prompt ${promptFile} cannot be read (${messageOf(cause)})`, undefined, cause);
  }
}
