import { access, constants, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GeneratorState } from 'quillmate-sampler';
import { CommandFailure, messageOf } from './failure.js';

/** The text of a state file; what is in it is for the sampler to judge. */
export async function readState(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(`the state ${file} cannot be read (${messageOf(cause)})`, undefined, cause);
  }
}

/** Whether a state could be written there. */
export async function checkPlace(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK);
  } catch (cause) {
    throw notWritten(file, cause);
  }
}

/** Whole or not at all: a state that was there before stays until the new one is complete. */
export async function writeState(file: string, state: GeneratorState): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    await writeFile(unfinished, `${JSON.stringify(state)}\n`);
    await rename(unfinished, file);
  } catch (cause) {
    throw notWritten(file, cause);
  }
}

function notWritten(file: string, cause: unknown): CommandFailure {
  return new CommandFailure(`the state ${file} cannot be written (${messageOf(cause)})`, undefined, cause);
}
