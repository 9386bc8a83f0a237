import type { JSX } from 'preact';
import { words } from '../words';
import type { Take } from '../writing/take';
import type { WritingDesk } from '../writing/writing-desk';
import { StarIcon } from './icons';

/** All takes of the passage at the caret, side by side. */
export function TakesSheet({ desk, close }: { desk: WritingDesk; close: () => void }): JSX.Element {
  const takes = desk.passages.siblings.value;
  return (
    <section id="takes" class="takes" aria-label={words.takes.name}>
      <div class="takes-head">
        <h2>{words.takes.name}</h2>
        <p class="hint">{takes.length === 0 ? words.takes.none : words.takes.hint}</p>
        <button
          type="button"
          aria-disabled={!desk.passages.canContinue.value}
          onClick={() => {
            if (desk.passages.canContinue.value) void desk.passages.writeSeveral();
          }}
        >
          {words.takes.more}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {words.close}
        </button>
      </div>
      <ol class="cards">
        {takes.map((take) => (
          <Card key={take.id} desk={desk} take={take} />
        ))}
      </ol>
    </section>
  );
}

function Card({ desk, take }: { desk: WritingDesk; take: Take }): JSX.Element {
  const standing = desk.passages.standing.value?.take;
  const stands = standing?.id === take.id;
  const writing = desk.story.run.value?.takes.some(({ id }) => id === take.id) ?? false;
  const { seed, settings } = take.state;
  const shared = stands ? 0 : sharedLength(take.text, standing?.text ?? '');
  const label = words.takes.of(seed);
  return (
    <li class={stands ? 'card card-standing' : 'card'} aria-label={label}>
      <div class="card-head">
        <h3>{label}</h3>
        <button
          type="button"
          class="quiet star"
          aria-label={words.takes.star(seed)}
          aria-pressed={take.starred}
          onClick={() => {
            desk.story.star(take);
          }}
        >
          <StarIcon />
        </button>
      </div>
      <p class="hint">{words.takes.numbers(settings)}</p>
      {/* Long ones are scrolled, with the keyboard, too. */}
      <p class="card-text" tabIndex={0} role="group" aria-label={words.takes.textOf(seed)}>
        <span class="shared">{take.text.slice(0, shared)}</span>
        {take.text.slice(shared)}
        {writing && <span class="pen" aria-hidden="true" />}
      </p>
      {stands ? (
        <p class="hint in-story">{words.takes.stands}</p>
      ) : (
        <button
          type="button"
          class="small"
          aria-label={words.takes.pickOf(seed)}
          aria-disabled={desk.story.run.value !== null}
          onClick={() => {
            desk.passages.pick(take);
          }}
        >
          {words.takes.pick}
        </button>
      )}
    </li>
  );
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
