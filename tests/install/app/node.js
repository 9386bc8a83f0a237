import { draw } from './draw.js';

console.log(await draw());
