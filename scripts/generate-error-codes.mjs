// Writes the TypeScript side of the one list of errors, cpp/include/quillmate/error_codes.def.
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const source = new URL('../cpp/include/quillmate/error_codes.def', import.meta.url);
const target = new URL('../ts/src/generated/error-codes.ts', import.meta.url);

/** @returns {Promise<void>} */
export async function generateErrorCodes() {
  const lines = (await readFile(source, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('//'));
  const errors = lines.map((line) => {
    const [, code, message] = /^QUILLMATE_ERROR\(([A-Z][A-Z_]*), ("(?:[^"\\]|\\.)*")\)$/.exec(line) ?? [];
    if (code === undefined || message === undefined)
      throw new Error(`error_codes.def has a line that is no error: ${line}`);
    return { code, message };
  });
  const text = `// Made from cpp/include/quillmate/error_codes.def by scripts/generate-error-codes.mjs.

/** The sentence of each code; {value}, {index} and {detail} are filled in from the error. */
export const errorMessages = {
${errors.map(({ code, message }) => `  ${code}: ${message},`).join('\n')}
} as const satisfies Record<string, string>;

/** Tells the errors apart; errorCodes has them all. */
export type ErrorCode = keyof typeof errorMessages;

/** Every error code; the C++ value of a code is its place in this list, counted from 1. */
export const errorCodes = Object.keys(errorMessages) as readonly ErrorCode[];
`;
  if ((await readFile(target, 'utf8').catch(() => undefined)) === text) return;
  await mkdir(new URL('.', target), { recursive: true });
  await writeFile(target, text);
}
