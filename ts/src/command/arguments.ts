import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { GeneratorOptions } from 'quillmate-sampler';
import { messageOf, misuse } from './failure.js';

interface Common {
  readonly model: string;
  readonly file: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface WritingRequest extends Common {
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Where the state is to be written. */
  readonly stateFile: string | undefined;
}

export interface GenerateRequest extends WritingRequest {
  readonly command: 'generate';
  readonly prompt: string;
  readonly promptFile: string | undefined;
  readonly options: GeneratorOptions;
}

export interface ResumeRequest extends WritingRequest {
  readonly command: 'resume';
  readonly state: string;
}

export interface VerifyRequest extends Common {
  readonly command: 'verify';
  readonly state: string;
}

export type Request = GenerateRequest | ResumeRequest | VerifyRequest | { readonly command: 'help' | 'version' };

const common = {
  file: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

const writing = {
  ...common,
  'max-tokens': { type: 'string', default: '100' },
  stop: { type: 'string', multiple: true, default: [] as string[] },
  state: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const generating = {
  ...writing,
  prompt: { type: 'string' },
  'prompt-file': { type: 'string' },
  seed: { type: 'string' },
  temperature: { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  audit: { type: 'string', default: 'light' },
} as const satisfies ParseArgsConfig['options'];

/** What the arguments ask for. Throws a failure with the exit code 2 that names the argument. */
export function readArguments(args: readonly string[]): Request {
  const [command, ...rest] = args;
  if (command === undefined || args.includes('--help')) return { command: 'help' };
  if (args.includes('--version')) return { command: 'version' };
  try {
    switch (command) {
      case 'generate':
        return generate(rest);
      case 'resume': {
        const { values, positionals } = parse(command, rest, writing);
        const [model, state] = places(positionals, 'MODEL', 'STATE');
        return { command, state, ...writingRequest(model, values) };
      }
      case 'verify': {
        const { values, positionals } = parse(command, rest, common);
        const [model, state] = places(positionals, 'MODEL', 'STATE');
        const { file, json, quiet } = values;
        return { command, model, state, file, json, quiet };
      }
      default:
        throw misuse(`${command} is no command`);
    }
  } catch (thrown) {
    throw thrown instanceof TypeError ? misuse(messageOf(thrown)) : thrown; // parseArgs names the argument
  }
}

/** Two faults are found before: parseArgs tells them in several lines, or advises to take the option for a file's name. */
function parse<Options extends NonNullable<ParseArgsConfig['options']>>(
  command: string,
  args: string[],
  options: Options,
) {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) throw misuse(`${command} takes no ${rawName}`);
    if (inlineValue === false && value.startsWith('-') && value !== '-') {
      throw misuse(`the value of ${rawName} begins with a dash; write ${rawName}=${quoted(value)}`);
    }
  }
  return parseArgs({ args, options, allowPositionals: true });
}

/** As a shell takes it; only how it begins where it is long or has several lines. */
function quoted(text: string): string {
  const [begin = ''] = /^.{0,40}/.exec(text) ?? [];
  const shown = begin === text ? text : `${begin}…`;
  return /^[\w.=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

function generate(args: string[]): GenerateRequest {
  const { values, positionals } = parse('generate', args, generating);
  const [model] = places(positionals, 'MODEL');
  const { prompt = '', 'prompt-file': promptFile, seed, audit } = values;
  if (values.prompt !== undefined && promptFile !== undefined) {
    throw misuse('--prompt and --prompt-file are both given');
  }
  if (audit !== 'off' && audit !== 'light' && audit !== 'full') throw misuse(`--audit is ${audit}`);
  return {
    command: 'generate',
    ...writingRequest(model, values),
    prompt,
    promptFile,
    options: {
      seed,
      temperature: number('--temperature', values.temperature),
      topK: number('--top-k', values['top-k']),
      topP: number('--top-p', values['top-p']),
      audit,
    },
  };
}

interface WritingValues {
  readonly file?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly 'max-tokens': string;
  readonly stop: string[];
  readonly state?: string | undefined;
}

function writingRequest(model: string, { file, json, quiet, stop, state, ...values }: WritingValues): WritingRequest {
  const maxTokens = number('--max-tokens', values['max-tokens']) ?? 0;
  return { model, file, json, quiet, stop, stateFile: state, maxTokens };
}

/** Whether it is one that the sampler takes, the sampler says. */
function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isNaN(value)) throw misuse(`${name} is ${JSON.stringify(text)}, which is no number`);
  return value;
}

function places<Names extends readonly string[]>(given: string[], ...names: Names): { [Name in keyof Names]: string } {
  if (given.length !== names.length) {
    const found = given.length === 0 ? 'nothing' : given.join(' ');
    throw misuse(`${found} is given for ${names.join(' ')}`);
  }
  return given as unknown as { [Name in keyof Names]: string };
}
