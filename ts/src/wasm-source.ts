import { describe, SamplerError } from './errors.js';
import { buildSection } from './generated/build-ids.js';
import { readLocalFile } from './local-files.js';
import { hasSimd } from './simd.js';

/** Where the module is: an address (a string is relative to the page), the answer of a `fetch`, bytes, a module. */
export type WasmSource = URL | string | ArrayBuffer | Uint8Array | Response | WebAssembly.Module;

const remedyOffPage =
  'outside of a page pass a whole one, such as the file: URL that pathToFileURL(path) of node:url makes, ' +
  'or the bytes of quillmate.wasm as loadSampler({ wasm })';
const remedy = 'pass the address or the bytes of quillmate.wasm as loadSampler({ wasm })';

/**
 * The compiled module, or a LOAD_FAILED that names the address, the fault and the remedy.
 * @internal
 * @param build the build that it has to be of
 */
export async function compile(source: unknown, build: string): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return checkBuild(source, 'the given module', build);
  const { name, bytes } = await read(source);
  const start = new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 32));
  if (![0, 0x61, 0x73, 0x6d].every((byte, i) => start[i] === byte)) {
    const text = describe(new TextDecoder().decode(start));
    throw failure(
      `${name} is not WebAssembly but begins with ${text}, as a server's page for unknown addresses does; ${remedy}`,
    );
  }
  let module;
  try {
    module = await WebAssembly.compile(bytes);
  } catch (cause) {
    const fault = `${name} has ${bytes.length} bytes that do not compile (${messageOf(cause)})`;
    const reason = hasSimd()
      ? 'it is cut short or damaged'
      : 'this engine has no WebAssembly SIMD, so that it needs quillmate-scalar.wasm';
    throw failure(`${fault}; ${reason}`, cause);
  }
  return checkBuild(module, name, build);
}

/** Another version's may well start, and draw other tokens. */
function checkBuild(module: WebAssembly.Module, name: string, build: string): WebAssembly.Module {
  const [section] = WebAssembly.Module.customSections(module, buildSection);
  const found = section && new TextDecoder().decode(section);
  if (found === build) return module;
  throw failure(`${name} is of build ${found ?? 'unknown'}, not ${build}; load the file that came with this script`);
}

/** @internal */
export function failure(detail: string, cause?: unknown): SamplerError {
  return new SamplerError('LOAD_FAILED', { detail, cause });
}

/** @internal */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Content {
  /** What the bytes are called in messages. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function read(source: unknown): Promise<Content> {
  if (typeof source === 'string' || source instanceof URL) return readAddress(toUrl(source));
  if (source instanceof Response) return readResponse(source, source.url || 'the response');
  if (source instanceof ArrayBuffer) return { name: 'the given buffer', bytes: new Uint8Array(source) };
  if (source instanceof Uint8Array) return { name: 'the given array', bytes: new Uint8Array(source) };
  throw failure(`wasm is ${describe(source)}; ${remedy}`);
}

function toUrl(address: string | URL): URL {
  const page = typeof location === 'undefined' ? undefined : location.href;
  try {
    return new URL(address, page);
  } catch (cause) {
    throw failure(`${describe(address)} is no address; ${page === undefined ? remedyOffPage : remedy}`, cause);
  }
}

async function readAddress(url: URL): Promise<Content> {
  const name = url.href;
  let response;
  try {
    // Node's fetch does not read files.
    if (url.protocol === 'file:' && readLocalFile !== undefined) return { name, bytes: await readLocalFile(url) };
    response = await fetch(url, { credentials: 'same-origin' });
  } catch (cause) {
    throw failure(`${name} cannot be read (${messageOf(cause)}); ${remedy}`, cause);
  }
  return readResponse(response, name);
}

// Not compileStreaming: it refuses every content type but one, and a page served in place of the file says nothing.
async function readResponse(response: Response, name: string): Promise<Content> {
  if (!response.ok) throw failure(`${name} answered ${response.status} ${response.statusText}; ${remedy}`);
  try {
    return { name, bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (cause) {
    throw failure(`the answer of ${name} cannot be read (${messageOf(cause)}); load it again`, cause);
  }
}
