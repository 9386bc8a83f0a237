import type { JSX } from 'preact';
import { useComputed, useSignal } from '@preact/signals';
import type { Explorer } from './explorer';
import { words } from './words';

const columns = 5;
const rows = 1000 / columns;

/** The random numbers that a seed gives to the first thousand tokens. */
export function UniformTable({ explorer }: { explorer: Explorer }): JSX.Element | null {
  /** Null: the seed that is looked at. */
  const typed = useSignal<string | null>(null);
  const seed = useComputed(() => typed.value ?? explorer.chain.value?.seed ?? null);
  const numbers = useComputed(() => {
    const [sampler, of] = [explorer.source.value?.sampler, seed.value];
    if (!sampler || of === null) return null;
    try {
      return Array.from({ length: rows * columns }, (_, step) => sampler.uniform(of.trim(), step));
    } catch {
      return words.noSeed(of);
    }
  });
  const shown = numbers.value;
  if (shown === null) return null;
  const problem = typeof shown === 'string';
  const chain = explorer.chain.value;
  const drawn = chain?.seed === seed.value ? chain.pieces.value.length : 0;
  return (
    <section aria-labelledby="uniforms-title">
      <h2 id="uniforms-title">{words.uniforms}</h2>
      <p class="hint">{words.uniformsHint}</p>
      <div class="field seed-of-uniforms">
        <label for="uniforms-seed">{words.uniformsOf}</label>
        <input
          id="uniforms-seed"
          type="text"
          inputmode="numeric"
          autocomplete="off"
          maxLength={20}
          value={seed.value ?? ''}
          aria-invalid={problem}
          aria-describedby={problem ? 'uniforms-problem' : undefined}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
          onChange={(event) => {
            // Emptied, it follows the text again.
            if (event.currentTarget.value.trim() === '') typed.value = null;
          }}
        />
        {problem && (
          <p id="uniforms-problem" class="hint problem" role="alert">
            {shown}
          </p>
        )}
      </div>
      {!problem && (
        <div class="scroller uniforms" role="group" aria-labelledby="uniforms-title" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.step}</th>
                {Array.from({ length: columns }, (_, column) => (
                  <th key={column} scope="col">
                    +{column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, row) => (
                <tr key={row}>
                  <th scope="row">{row * columns}</th>
                  {shown.slice(row * columns, (row + 1) * columns).map((u, column) => (
                    <td key={column} class={row * columns + column < drawn ? 'used' : undefined}>
                      {String(u)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
