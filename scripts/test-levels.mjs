// npm run test:levels [-- TRIPLES]: levels_proof.cpp with a million triples (or that many) at each width of vectors that this
// processor has: every level of the sampler and a rational oracle must return the same token.
import { readFile } from 'node:fs/promises';
import { systemPackages, toolchain } from './project.mjs';
import { main, run, step, StepError } from './steps.mjs';

const widths = [
  { march: 'x86-64', flag: 'sse2' },
  { march: 'x86-64-v3', flag: 'avx2' },
  { march: 'x86-64-v4', flag: 'avx512bw' },
];

await main(async () => {
  const triples = process.argv[2] ?? '1000000';
  await systemPackages('test');
  await toolchain();
  const flags = new Set(/^flags\s*:(.*)$/m.exec(await readFile('/proc/cpuinfo', 'utf8'))?.[1]?.split(' '));
  const present = widths.filter(({ flag }) => flags.has(flag));
  if (present.length === 0) throw new StepError('this is no x86-64 processor');
  for (const { march } of present) {
    const folder = `build/levels/${march}`;
    await step(`levels, ${march}`, async () => {
      const definitions = ['-DCMAKE_BUILD_TYPE=Release', `-DCMAKE_CXX_FLAGS=-march=${march}`];
      await run('cmake', ['-S', '.', '-B', folder, '-G', 'Ninja', ...definitions], { quiet: true });
      await run('cmake', ['--build', folder, '--target', 'quillmate_levels_proof'], { quiet: true });
      await run(`./${folder}/tests/cpp/quillmate_levels_proof`, [triples]);
    });
  }
});
