#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { argv, stderr, stdout } from 'node:process';
import { SamplerError, type ErrorCode } from 'quillmate-sampler';
import { readArguments } from './arguments.js';
import { CommandFailure, exitCodes, messageOf, type ExitCode } from './failure.js';
import { help } from './help.js';
import { verify } from './verify.js';
import { write } from './write.js';

/** The sampler's words for an option's value that it does not take. */
const misused = new Set<ErrorCode>([
  'INVALID_SEED',
  'INVALID_TEMPERATURE',
  'INVALID_TOP_K',
  'INVALID_TOP_P',
  'INVALID_RUN',
]);

async function run(args: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  const request = readArguments(args);
  switch (request.command) {
    case 'help':
      stdout.write(help);
      return exitCodes.done;
    case 'version':
      stdout.write(`${await ownVersion()}\n`);
      return exitCodes.done;
    case 'verify':
      return verify(request, signal);
    case 'generate':
    case 'resume':
      return write(request, signal);
  }
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof CommandFailure) return thrown.exitCode;
  if (!(thrown instanceof SamplerError)) return exitCodes.failed;
  if (thrown.code === 'ABORTED') return exitCodes.interrupted;
  return misused.has(thrown.code) ? exitCodes.misused : exitCodes.failed;
}

const interruption = new AbortController();
process.once('SIGINT', () => {
  interruption.abort(); // a second one ends the process at once
});
stdout.on('error', () => {
  interruption.abort(); // nobody reads on, as behind `| head`
});
try {
  process.exitCode = await run(argv.slice(2), interruption.signal);
} catch (thrown) {
  stderr.write(`quillmate-sampler: ${messageOf(thrown)}\n`);
  process.exitCode = exitCodeOf(thrown);
}
