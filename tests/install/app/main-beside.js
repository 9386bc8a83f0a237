import { draw } from './draw.js';

// esbuild and Rollup do not move the file that the package names; it is laid beside the bundle.
const wasm = new URL('quillmate.wasm', import.meta.url);
document.title = await draw({ wasm }).then(String, String);
