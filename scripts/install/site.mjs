// The folder in which the package is installed as its users would, the projects in it, and a server for them.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { root, StepError } from '../steps.mjs';

export const folder = join(root, 'build/install');
/** The package as npm has installed it. */
export const installed = join(folder, 'node_modules/quillmate-sampler');

/**
 * How the package is tried: what made a page, whose address it returns, or what it came to without one. A page says its token in
 * its title, or `text` in its element of that name.
 * @typedef {{ page: string, text?: string, close?: () => Promise<unknown> } | { result: string }} Made
 * @typedef {{ name: string, version: () => Promise<string>, make: (site: string) => Promise<Made> }} Environment
 */

/** The strictest policy under which a page can use the package. */
export const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; base-uri 'none'";

/** @type {Record<string, string>} */
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/**
 * Serves the folder.
 * @param {Record<string, string>} headers
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serve(headers) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    readFile(join(folder, pathname)).then(
      (content) => {
        const type = types[extname(pathname)] ?? 'text/plain';
        response.writeHead(200, { 'content-type': type, ...headers }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      resolve(undefined);
    }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new StepError('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

/** A copy of the application, with its page. @param {string} name @param {string} script what the page loads */
export async function project(name, script) {
  const path = join(folder, name);
  await cp(join(root, 'tests/install/app'), path, { recursive: true });
  const page = join(path, 'index.html');
  await writeFile(page, (await readFile(page, 'utf8')).replace('SCRIPT', script));
  return path;
}

/** The same without a bundler: the package is named by its address. @param {string} name @param {string} script */
export async function plainProject(name, script) {
  const path = await project(name, script);
  const draw = join(path, 'draw.js');
  const address = '../node_modules/quillmate-sampler/dist/index.js';
  await writeFile(draw, (await readFile(draw, 'utf8')).replace("from 'quillmate-sampler'", `from '${address}'`));
  return path;
}

/** The version of what is installed for the tests. @param {string} name */
export const versionOf = (name) => versionIn(join(folder, 'node_modules', name));

/** @param {string} path the folder of a package */
export async function versionIn(path) {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  return version;
}
