// Next.js: a server component, a client component and a route handler, built, then started.
import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run, StepError } from '../steps.mjs';
import { folder, versionOf } from './site.mjs';

const next = join(folder, 'node_modules/.bin/next');
const env = { NEXT_TELEMETRY_DISABLED: '1' };

/** @param {string} cwd @returns {Promise<{ page: string, close: () => Promise<unknown> }>} when it says where it listens */
async function start(cwd) {
  const child = spawn(next, ['start', '--hostname', '127.0.0.1', '--port', '0'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const page = await new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        output += text;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (address !== undefined && /ready/i.test(output)) resolve(address);
      });
    }
    child.once('close', () => {
      reject(new StepError(output));
    });
  });
  const close = () => {
    child.kill();
    return closed;
  };
  return { page, close };
}

/** @type {import('./site.mjs').Environment} */
export const nextEnvironment = {
  name: 'Next.js: server, client, route',
  version: () => versionOf('next'),
  make: async () => {
    const path = join(folder, 'next');
    await cp(join(root, 'tests/install/next'), path, { recursive: true });
    await cp(join(root, 'tests/install/app/draw.js'), join(path, 'draw.js'));
    await run(next, ['build'], { cwd: 'build/install/next', env, quiet: true });
    return start(path);
  },
};
