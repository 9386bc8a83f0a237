import type { JSX } from 'preact';
import { words } from '../words';
import type { Origin } from '../writing/origin';
import { Dialog } from './dialog';

const text = words.origin;

/** All that a passage of the machine's was drawn from. */
export function OriginDialog({ origin, close }: { origin: Origin; close: () => void }): JSX.Element {
  const { seed, settings, tokens, standing, read, after, model, chain } = origin;
  const rows: readonly (readonly [string, string | null])[] = [
    [words.seed, seed],
    [text.settings, words.takes.numbers(settings)],
    [text.tokens, text.standing(standing, tokens)],
    [text.read, text.tokensOf(read)],
    [text.after, after],
    ...Object.entries(model).map(([field, value]) => [text.fieldOf(field), value] as const),
    [text.chain, chain],
  ];
  return (
    <Dialog id="origin-title" title={text.title} close={close}>
      <p class="hint">{text.about}</p>
      <dl class="origin">
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Dialog>
  );
}
