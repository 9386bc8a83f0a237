// What the licences of the packages in our locks allow. Those that reach users must be permissive; tools may be under the MPL or the LGPL,
// and tables of data under CC BY.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFiles, root, StepError } from './steps.mjs';

const permissive = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
]);
/** Of fonts, which the page serves. */
const fonts = new Set(['OFL-1.1']);
const tools = new Set(['MPL-2.0', 'LGPL-3.0-or-later', 'CC-BY-4.0']);

/**
 * Is there a choice of licences, one that fits is enough.
 * @param {string} licence
 * @param {readonly Set<string>[]} allowed
 */
const fits = (licence, allowed) =>
  licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => allowed.some((set) => set.has(part))));

/** Fails when a package in a lock has a licence that does not fit, and names it. */
export async function checkLicences() {
  const faults = [];
  let count = 0;
  for (const lock of await repositoryFiles('*package-lock.json')) {
    /** @type {{ packages: Record<string, { license?: string, dev?: boolean, link?: boolean }> }} */
    const { packages } = JSON.parse(await readFile(join(root, lock), 'utf8'));
    for (const [path, { license = 'none that is known', dev = false, link = false }] of Object.entries(packages)) {
      if (!path.includes('node_modules/') || link) continue; // our own
      count += 1;
      const onlyForUs = dev || lock !== 'package-lock.json';
      if (!fits(license, onlyForUs ? [permissive, fonts, tools] : [permissive, fonts]))
        faults.push(`${path} (${license})`);
    }
  }
  if (faults.length > 0) throw new StepError(`licences that do not fit: ${faults.join(', ')}`);
  console.log(`the licences of ${count} packages fit`);
}
