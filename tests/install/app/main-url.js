import wasm from 'quillmate-sampler/quillmate.wasm?url';
import { draw } from './draw.js';

// Vite's development server parts a package that it bundles beforehand from its files: their address is asked for.
document.title = await draw({ wasm }).then(String, String);
