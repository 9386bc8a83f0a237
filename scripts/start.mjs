// npm start: builds what is not built and serves the page as it would be published, on this machine only.
import { prepareAndBuild } from './project.mjs';
import { main, root } from './steps.mjs';

await main(async () => {
  await prepareAndBuild();
  const { preview } = await import('vite');
  const server = await preview({ root: `${root}/web-demo`, preview: { host: '127.0.0.1' }, logLevel: 'warn' });
  console.log(`\nQuillmate is open at ${server.resolvedUrls?.local[0]} (Ctrl+C ends it)`);
});
