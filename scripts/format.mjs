// npm run format: formats every source file in place.
import { format, nodeModules, systemPackages } from './project.mjs';
import { main } from './steps.mjs';

await main(async () => {
  await systemPackages('test');
  await nodeModules();
  await format();
});
