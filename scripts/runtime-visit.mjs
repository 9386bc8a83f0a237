// A process that test:runtime starts: it calls a function of tests/runtime/runner.ts and sends back what comes of it.
import { once } from 'node:events';
import { importTypeScript } from './import-typescript.mjs';

/** @typedef {{ name: string, args: readonly unknown[] }} Call */
/** @typedef {Record<string, (...args: readonly unknown[]) => Promise<unknown>>} Runner */

const [{ name, args }] = /** @type {[Call]} */ (await once(process, 'message'));
const runner = /** @type {Runner} */ (await importTypeScript('tests/runtime/runner.ts'));
process.send?.(await runner[name]?.(...args), () => {
  process.exit(); // whatever the model's runtime still waits for
});
