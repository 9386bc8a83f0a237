import type { JSX } from 'preact';
import type { Updates } from './updates';
import { words } from './words';

/** Offers a newer build that has been fetched. */
export function UpdateNotice({ updates }: { updates: Updates }): JSX.Element | null {
  if (!updates.offered.value) return null;
  const busy = updates.busy.value;
  return (
    <div class="notice" role="status">
      <div class="notice-text">
        <p>
          <strong>{words.title}</strong> <span id={adviceId}>{busy ? words.busy : words.advice}</span>
        </p>
      </div>
      <div class="remedies">
        <button
          type="button"
          aria-disabled={busy}
          aria-describedby={adviceId}
          onClick={() => {
            updates.start();
          }}
        >
          {words.start}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            updates.postpone();
          }}
        >
          {words.postpone}
        </button>
      </div>
    </div>
  );
}

const adviceId = 'update-advice';
