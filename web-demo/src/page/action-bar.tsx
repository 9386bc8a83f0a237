import type { JSX } from 'preact';
import { useSignal, type Signal } from '@preact/signals';
import { words } from '../words';
import type { DialName } from '../writing/dials';
import { originOf, type Origin } from '../writing/origin';
import type { SharedPassage } from '../writing/shared-passage';
import type { WritingDesk } from '../writing/writing-desk';
import { DiceIcon } from './icons';
import { OriginDialog } from './origin-dialog';
import { PanelSwitch } from './panel-switch';
import { ShareDialog } from './share-dialog';
import type { AlternativesPlace } from './story-pane';

interface BarProps {
  desk: WritingDesk;
  panelOpen: Signal<boolean>;
  takesOpen: Signal<boolean>;
  alternatives: Signal<AlternativesPlace | null>;
}

export function ActionBar({ desk, panelOpen, takesOpen, alternatives }: BarProps): JSX.Element {
  const problem = problemOf(desk);
  const sharing = useSignal<SharedPassage | null>(null);
  const origin = useSignal<Origin | null>(null);
  return (
    <>
      <section class="bar" aria-label={words.actions}>
        <div class="bar-top">
          <StatusLine desk={desk} />
          <p id={hintId} class={problem === null ? 'hint' : 'hint problem'}>
            {problem ?? provenance(desk)}
          </p>
          {problem === null && desk.passages.canRegenerate.value && (
            <button
              type="button"
              class="quiet details-switch"
              onClick={() => {
                const engine = desk.machine.engine.value;
                const standing = desk.passages.standing.value;
                origin.value = engine && standing && originOf(engine, standing);
              }}
            >
              {words.origin.show}
            </button>
          )}
        </div>
        <div class="actions">
          <Action
            class="primary"
            label={words.continue}
            keys={words.shortcuts.continue}
            shortcut="Control+Enter"
            able={desk.passages.canContinue.value}
            reason={problem === null ? undefined : hintId}
            act={() => void desk.passages.continue()}
          />
          <Action
            label={words.stop}
            keys={words.shortcuts.stop}
            shortcut="Escape"
            able={desk.machine.canStop.value}
            act={() => {
              desk.machine.stop();
            }}
          />
        </div>
        <div class="actions passage-actions" role="group" aria-label={words.passage.name}>
          <Action
            label={words.regenerate}
            able={desk.passages.canRegenerate.value}
            act={() => void desk.passages.regenerate()}
          />
          <Action
            label={words.passage.newTake}
            able={desk.passages.canTakeAnew.value}
            act={() => void desk.passages.newTake()}
          />
          <Action
            label={words.passage.keepWriting}
            able={desk.passages.canKeepWriting.value}
            act={() => void desk.passages.keepWriting()}
          />
          <Action
            label={words.takes.show(desk.passages.siblings.value.length)}
            expanded={takesOpen.value}
            controls="takes"
            able
            act={() => (takesOpen.value = !takesOpen.value)}
          />
          <Action
            label={words.alternatives.show}
            able={desk.otherWords.canWeigh()}
            act={() => {
              const word = caretBox();
              if (word) alternatives.value = { word, byKeyboard: true };
              void desk.otherWords.weigh(desk.story.manuscript.caret.value);
            }}
          />
          <Action
            label={words.share.show}
            able={desk.passages.canRegenerate.value}
            act={() => {
              sharing.value = desk.sharing.offer();
            }}
          />
          <Action
            label={words.passage.editFreely}
            able={desk.passages.canRelease.value}
            act={() => {
              desk.passages.editFreely();
            }}
          />
        </div>
        <Seed desk={desk} />
        <PanelSwitch open={panelOpen} panel="dials" class="panel-switch">
          {panelOpen.value ? words.hideDials : words.showDials}
        </PanelSwitch>
      </section>
      {sharing.value && <ShareDialog passage={sharing.value} close={() => (sharing.value = null)} />}
      {origin.value && <OriginDialog origin={origin.value} close={() => (origin.value = null)} />}
    </>
  );
}

const hintId = 'bar-hint';

interface ActionProps {
  label: string;
  /** The shortcut as the writer reads it, and as aria-keyshortcuts spells it. */
  keys?: string;
  shortcut?: string;
  able: boolean;
  /** Of the panel that it shows: whether that is there, and its id. */
  expanded?: boolean;
  controls?: string;
  /** The id of what says why it can do nothing. */
  reason?: string | undefined;
  act: () => void;
  class?: string;
}

/** Stays focusable while it can do nothing, so that a keyboard keeps its place when a run begins and ends. */
function Action({ label, keys, shortcut, able, expanded, controls, reason, act, class: look }: ActionProps) {
  return (
    <button
      type="button"
      class={look}
      title={keys && `${label} (${keys})`}
      aria-keyshortcuts={shortcut}
      aria-disabled={!able}
      aria-expanded={expanded}
      aria-controls={controls}
      aria-describedby={reason}
      onClick={able ? act : undefined}
    >
      {label}
    </button>
  );
}

function Seed({ desk }: { desk: WritingDesk }) {
  const busy = desk.machine.phase.value === 'writing' || desk.machine.phase.value === 'elsewhere';
  const reading = desk.story.reading.value;
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
        value={desk.story.dialTexts.value.seed}
        readOnly={busy}
        aria-invalid={'problems' in reading && reading.problems.seed !== undefined}
        aria-describedby={hintId}
        onInput={(event) => {
          desk.story.turn('seed', event.currentTarget.value);
        }}
      />
      <button
        type="button"
        class="dice"
        aria-label={words.dice}
        title={words.dice}
        aria-disabled={busy}
        onClick={() => {
          if (!busy) desk.story.rollSeed();
        }}
      >
        <DiceIcon />
      </button>
    </div>
  );
}

/** What keeps Continue from writing: the dial itself may be out of sight. */
function problemOf(desk: WritingDesk): string | null {
  const reading = desk.story.reading.value;
  if (!('problems' in reading)) return null;
  const problems = Object.entries(reading.problems) as [DialName, string][];
  return problems.map(([name, problem]) => words.dialProblem(words.dialLabels[name], problem)).join(' ');
}

/** Where the words at the caret come from, or why they took no letter. */
function provenance(desk: WritingDesk): string {
  if (desk.story.manuscript.refused.value) return words.passage.beingWritten;
  const standing = desk.passages.standing.value;
  if (!standing) return desk.story.takes.value.size > 0 ? words.passage.none : '';
  const { take, tokens } = standing;
  const parts = [words.passage.of(take.state.seed, take.state.settings)];
  if (tokens === null && desk.story.run.value === null) parts.push(words.passage.edited);
  if (desk.passages.sameModel.value === false) parts.push(words.passage.otherModel);
  return parts.join(' ');
}

function StatusLine({ desk }: { desk: WritingDesk }) {
  const loading = desk.machine.loading.value;
  const arriving = loading && loading.loaded < loading.total;
  const pace = desk.story.run.value?.pace;
  return (
    <div class="status">
      <span>{statusText(desk)}</span>
      {typeof pace === 'number' && <span class="pace">{words.status.pace(pace)}</span>}
      {loading && desk.machine.phase.value === 'loading' && (
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
  const run = desk.story.run.value;
  const loading = desk.machine.loading.value;
  switch (desk.machine.phase.value) {
    case 'opening':
      return status.opening;
    case 'elsewhere':
      return status.elsewhere;
    case 'loading':
      return loading
        ? `${status.loading(loading)}${desk.machine.willGoOn.value ? ` ${status.willGoOn}` : ''}`
        : status.opening;
    case 'failed':
      return status.noModel;
    case 'writing':
      return run && run.done > 0 ? status.writing(run.done, run.until, run.takes.length) : status.reading;
    case 'ready':
      return desk.machine.outcome.value ?? status.ready;
  }
}

/** Where the caret is on the screen, also while the keyboard is elsewhere. */
function caretBox(): DOMRect | null {
  const mark = document.querySelector('.at-caret');
  const boxes = mark?.getClientRects();
  return boxes?.[boxes.length - 1] ?? null;
}
