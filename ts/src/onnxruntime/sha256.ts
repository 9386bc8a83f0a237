import { loadFailed } from './load-failed.js';

/** @throws SamplerError MODEL_LOAD_FAILED in a page that is not from a safe place */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (!('subtle' in crypto)) {
    throw loadFailed('its files cannot be hashed in an insecure context; serve the page with https or from localhost');
  }
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
