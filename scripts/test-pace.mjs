// npm run test:pace: how long the page keeps a writer waiting, who types while the machine writes or has 200 novels. On a machine
// that does nothing else.
import { prepareAndBuild, systemPackages } from './project.mjs';
import { main, run, step } from './steps.mjs';

await main(async () => {
  await systemPackages('test');
  await prepareAndBuild();
  await step('pace', () =>
    run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts', '--project', 'pace']),
  );
});
