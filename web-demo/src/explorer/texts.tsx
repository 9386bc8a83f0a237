import type { JSX } from 'preact';
import type { Chain } from './chain';
import type { Explorer } from './explorer';
import { words } from './words';

/** The texts of all seeds, side by side. */
export function Texts({ explorer }: { explorer: Explorer }): JSX.Element {
  const chains = explorer.chains.value;
  return (
    <section aria-labelledby="texts-title">
      <h2 id="texts-title">{words.texts}</h2>
      <p class="hint">{chains.length > 0 ? words.textsHint : words.waiting}</p>
      <div class="texts">
        {chains.map((chain, index) => (
          <Text key={index} explorer={explorer} chain={chain} index={index} />
        ))}
      </div>
    </section>
  );
}

function Text({ explorer, chain, index }: { explorer: Explorer; chain: Chain; index: number }) {
  const place = explorer.place.value;
  const chosen = place?.chain === index;
  const go = (token: number): void => {
    explorer.go({ chain: index, token });
  };
  return (
    <article class="text" data-chosen={chosen}>
      <h3>
        <button
          type="button"
          class="quiet"
          aria-pressed={chosen}
          onClick={() => {
            go(0);
          }}
        >
          {words.seed(chain.seed)}
        </button>
      </h3>
      {/* With the keyboard, the words are reached by the steps below. */}
      <p
        class="drawn"
        onClick={({ target }) => {
          const token = target instanceof HTMLElement ? target.dataset.token : undefined;
          if (token !== undefined) go(Number(token));
        }}
      >
        {chain.pieces.value.map((piece, token) => (
          <span key={token} data-token={token} class={chosen && place.token === token ? 'looked-at' : undefined}>
            {piece}
          </span>
        ))}
      </p>
      {chain.ended && <p class="hint">{words.ended}</p>}
    </article>
  );
}
