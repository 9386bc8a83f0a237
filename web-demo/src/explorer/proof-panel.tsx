import type { JSX } from 'preact';
import type { Explorer } from './explorer';
import { words } from './words';

/** The text that is looked at, written again in other ways. */
export function ProofPanel({ explorer }: { explorer: Explorer }): JSX.Element | null {
  const chain = explorer.chain.value;
  if (!chain || chain.pieces.value.length === 0) return null;
  const proofs = explorer.proofs.value;
  const proving = explorer.proving.value;
  const complete = !proving && proofs.length > 0;
  return (
    <section aria-labelledby="promise-title">
      <h2 id="promise-title">{words.promise}</h2>
      <p class="hint">{words.promiseHint}</p>
      <div class="form-actions">
        <button type="button" aria-disabled={proving || explorer.running.value} onClick={() => void explorer.prove()}>
          {words.prove}
        </button>
        <p class="verdict" role="status">
          {proving && words.proving}
          {complete && (proofs.every(({ equal }) => equal) ? words.proved(proofs.length + 1) : words.refuted)}
        </p>
      </div>
      {proofs.length > 0 && (
        <div class="scroller" role="group" aria-labelledby="promise-title" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.proofColumns.way}</th>
                <th scope="col">{words.proofColumns.tokens}</th>
                <th scope="col">{words.proofColumns.chain}</th>
                <th scope="col">{words.proofColumns.verdict}</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">{words.ways.original}</th>
                <td>{chain.drawn.length}</td>
                <td class="chain">{chain.generator.state().audit?.chain}</td>
                <td />
              </tr>
              {proofs.map(({ way, chain: found, drawn, equal }) => (
                <tr key={way}>
                  <th scope="row">{words.ways[way]}</th>
                  <td>{drawn}</td>
                  <td class="chain">{found}</td>
                  <td class={equal ? 'equal' : 'differs'}>{equal ? words.equal : words.differs}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
