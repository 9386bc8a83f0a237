// The W3C WebDriver protocol, as far as one page needs it: for the engines that no browser library starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { evaluation } from './evaluation.mjs';

/** @typedef {import('./visits.mjs').Page} Page */
/** @typedef {{ sessionId: string, capabilities: { browserVersion: string } }} Session */

/**
 * Starts a driver and a browser, does something with its page, and ends both.
 * @template T
 * @param {readonly string[]} driver the command that starts it
 * @param {Record<string, unknown>} capabilities of the browser that it is to start
 * @param {(page: Page) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function visitByDriver([command = '', ...options], capabilities, work) {
  const port = await freePort();
  // In a process group of its own, which ends with it: the driver's own children are a display and a browser.
  const driver = spawn(command, [...options, `--port=${port}`], { detached: true, stdio: 'ignore' });
  const ended = once(driver, 'exit').then(() => Promise.reject(new Error(`${command} ended`)));
  const request = async (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { value } = /** @type {{ value: unknown }} */ (await response.json());
    if (!response.ok) throw new Error(`${command} ${path}: ${JSON.stringify(value)}`);
    return value;
  };
  const visit = async () => {
    await reachable(port);
    const session = await request('POST', '/session', { capabilities: { alwaysMatch: capabilities } });
    const { sessionId, capabilities: found } = /** @type {Session} */ (session);
    const path = `/session/${sessionId}`;
    try {
      await request('POST', `${path}/timeouts`, { script: 240_000 });
      return await work({
        version: found.browserVersion,
        open: (url) => request('POST', `${path}/url`, { url }),
        evaluate: evaluation(async (expression) => {
          const script = `const done = arguments[0];
            (async () => ${expression})().then((result) => done({ result }), (error) => done({ fault: String(error) }));`;
          const answer = await request('POST', `${path}/execute/async`, { script, args: [] });
          const { result, fault } = /** @type {{ result: unknown, fault?: string }} */ (answer);
          if (fault !== undefined) throw new Error(fault);
          return result;
        }),
      });
    } finally {
      await request('DELETE', path, undefined);
    }
  };
  try {
    return await Promise.race([visit(), ended]);
  } finally {
    ended.catch(() => undefined);
    if (driver.pid !== undefined && driver.exitCode === null) process.kill(-driver.pid);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Until something listens there. @param {number} port */
async function reachable(port) {
  for (let attempt = 0; ; attempt++) {
    try {
      await fetch(`http://127.0.0.1:${port}/status`);
      return;
    } catch (error) {
      if (attempt === 200) throw error;
      await setTimeout(100);
    }
  }
}
