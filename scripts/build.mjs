// npm run build: the WebAssembly module, the package in ts/dist and the page in web-demo/dist.
import { prepareAndBuild } from './project.mjs';
import { main } from './steps.mjs';

await main(prepareAndBuild);
