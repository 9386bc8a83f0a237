// What the scripts are made of: named, timed steps; commands; and steps that are skipped while their inputs are unchanged.
// Nothing here needs an installed package.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a script's steps; a step that fails ends it, with the step's name. @param {() => Promise<void>} script */
export async function main(script) {
  try {
    await script();
  } catch (error) {
    console.error(error instanceof StepError ? error.message : error);
    process.exitCode = 1;
  }
}

export class StepError extends Error {}

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await work();
    console.log(`== ${name}: done in ${seconds()}`);
    return result;
  } catch (error) {
    const reason = error instanceof StepError ? error.message : error instanceof Error ? error.stack : String(error);
    throw new StepError(`== ${name}: FAILED after ${seconds()}: ${reason}`);
  }
}

/**
 * Runs a command in the repository, with node_modules/.bin on PATH; rejects unless it exits with 0.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, quiet?: boolean }} [options] quiet: print only when it fails
 * @returns {Promise<string>} what it printed
 */
export function run(command, args, { cwd = '.', env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: join(root, cwd),
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        output += text;
        if (!quiet) process.stdout.write(text);
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) {
        resolve(output);
      } else {
        if (quiet) process.stdout.write(output);
        reject(new StepError(`${command} ${args.join(' ')}: ${signal ?? `exit code ${code}`}`));
      }
    });
  });
}

/**
 * Does the work, and returns true, unless it was done with these very inputs before and its output, if it has one, is still there.
 * @param {{ name: string, inputs: readonly string[], facts?: string, output?: string }} what inputs are files and folders;
 *   facts, what else the work depends on; output, a file or a folder
 * @param {() => Promise<unknown>} work
 */
export async function whenChanged({ name, inputs, facts = '', output = '.' }, work) {
  const stamp = join(root, 'build', 'stamps', name);
  const hash = `${await hashOf(inputs)} ${facts}`;
  const made = await stat(join(root, output)).catch(() => undefined);
  if (made !== undefined && (await readFile(stamp, 'utf8').catch(() => undefined)) === hash) {
    console.log('nothing changed');
    return false;
  }
  await rm(stamp, { force: true }); // work that is cut short counts for nothing
  await work();
  await mkdir(dirname(stamp), { recursive: true });
  await writeFile(stamp, hash);
  return true;
}

/**
 * The files that make up the repository, not what is made from them: all that git knows or would take.
 * @param {readonly string[]} patterns
 */
export async function repositoryFiles(...patterns) {
  const list = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    quiet: true,
  });
  // A file that is deleted may still be in the index.
  return list.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
}

/** @param {readonly string[]} paths */
async function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesUnder(join(root, path))) {
      const content = await readFile(file);
      hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

/** @param {string} path @returns {Promise<string[]>} */
async function filesUnder(path) {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
