import { draw } from './draw.js';

document.title = await draw().then(String, String);
