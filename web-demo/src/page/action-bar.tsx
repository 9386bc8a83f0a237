import type { JSX } from 'preact';
import type { Signal } from '@preact/signals';
import { words } from '../words';
import type { DialName } from '../writing/dials';
import { countTokens } from '../writing/passage';
import type { WritingDesk } from '../writing/writing-desk';
import { DiceIcon } from './icons';

export function ActionBar({ desk, panelOpen }: { desk: WritingDesk; panelOpen: Signal<boolean> }): JSX.Element {
  const problem = problemOf(desk);
  return (
    <section class="bar" aria-label={words.actions}>
      <StatusLine desk={desk} />
      <div class="actions">
        <Action
          class="primary"
          label={words.continue}
          keys={words.shortcuts.continue}
          shortcut="Control+Enter"
          able={desk.canContinue.value}
          reason={problem === null ? undefined : hintId}
          act={() => void desk.continue()}
        />
        <Action label={words.regenerate} able={desk.canRegenerate.value} act={() => void desk.regenerate()} />
        <Action
          label={words.stop}
          keys={words.shortcuts.stop}
          shortcut="Escape"
          able={desk.canStop.value}
          act={() => {
            desk.stop();
          }}
        />
      </div>
      <Seed desk={desk} />
      <p id={hintId} class={problem === null ? 'hint' : 'hint problem'}>
        {problem ?? regenerateHint(desk)}
      </p>
      <button
        type="button"
        class="quiet panel-switch"
        aria-expanded={panelOpen.value}
        aria-controls="dials"
        onClick={() => (panelOpen.value = !panelOpen.value)}
      >
        {panelOpen.value ? words.hideDials : words.showDials}
      </button>
    </section>
  );
}

const hintId = 'bar-hint';

interface ActionProps {
  label: string;
  /** The shortcut as the writer reads it, and as aria-keyshortcuts spells it. */
  keys?: string;
  shortcut?: string;
  able: boolean;
  /** The id of what says why it can do nothing. */
  reason?: string | undefined;
  act: () => void;
  class?: string;
}

/** Stays focusable while it can do nothing, so that a keyboard keeps its place when a run begins and ends. */
function Action({ label, keys, shortcut, able, reason, act, class: look }: ActionProps) {
  return (
    <button
      type="button"
      class={look}
      title={keys && `${label} (${keys})`}
      aria-keyshortcuts={shortcut}
      aria-disabled={!able}
      aria-describedby={reason}
      onClick={able ? act : undefined}
    >
      {label}
    </button>
  );
}

function Seed({ desk }: { desk: WritingDesk }) {
  const busy = desk.phase.value === 'writing' || desk.phase.value === 'elsewhere';
  const reading = desk.reading.value;
  return (
    <div class="seed">
      <label for="seed">{words.seed}</label>
      <input
        id="seed"
        type="text"
        inputmode="numeric"
        autocomplete="off"
        spellcheck={false}
        maxLength={20}
        value={desk.dialTexts.value.seed}
        readOnly={busy}
        aria-invalid={'problems' in reading && reading.problems.seed !== undefined}
        aria-describedby={hintId}
        onInput={(event) => {
          desk.turn('seed', event.currentTarget.value);
        }}
      />
      <button
        type="button"
        class="dice"
        aria-label={words.dice}
        title={words.dice}
        aria-disabled={busy}
        onClick={() => {
          if (!busy) desk.rollSeed();
        }}
      >
        <DiceIcon />
      </button>
    </div>
  );
}

/** What keeps Continue from writing: the dial itself may be out of sight. */
function problemOf(desk: WritingDesk): string | null {
  const reading = desk.reading.value;
  if (!('problems' in reading)) return null;
  const problems = Object.entries(reading.problems) as [DialName, string][];
  return problems.map(([name, problem]) => words.dialProblem(words.dialLabels[name], problem)).join(' ');
}

function regenerateHint(desk: WritingDesk): string | null {
  const repeats = desk.repeats.value;
  if (repeats === null || desk.phase.value === 'writing') return null;
  return repeats ? words.hints.same : words.hints.other;
}

function StatusLine({ desk }: { desk: WritingDesk }) {
  const loading = desk.loading.value;
  const arriving = loading && loading.loaded < loading.total;
  const pace = desk.run.value?.pace;
  return (
    <div class="status">
      <span>{statusText(desk)}</span>
      {typeof pace === 'number' && <span class="pace">{words.status.pace(pace)}</span>}
      {loading && desk.phase.value === 'loading' && (
        <progress
          aria-label={words.status.loadingLabel}
          max={arriving ? loading.total : undefined}
          value={arriving ? loading.loaded : undefined}
        />
      )}
    </div>
  );
}

function statusText(desk: WritingDesk): string {
  const { status } = words;
  const run = desk.run.value;
  const loading = desk.loading.value;
  switch (desk.phase.value) {
    case 'opening':
      return status.opening;
    case 'elsewhere':
      return status.elsewhere;
    case 'loading':
      return loading ? `${status.loading(loading)}${desk.willGoOn.value ? ` ${status.willGoOn}` : ''}` : status.opening;
    case 'failed':
      return status.noModel;
    case 'writing': {
      const passage = desk.passage.value;
      return passage && run && countTokens(passage) > 0
        ? status.writing(countTokens(passage), run.until)
        : status.reading;
    }
    case 'ready':
      return desk.outcome.value ?? status.ready;
  }
}
