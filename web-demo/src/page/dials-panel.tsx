import type { JSX } from 'preact';
import type { Signal } from '@preact/signals';
import { words as explorerWords } from '../explorer/words';
import { bundledFolder } from '../models/loaded-model';
import { words } from '../words';
import { presetNames, presetOf, type DialName } from '../writing/dials';
import type { WritingDesk } from '../writing/writing-desk';
import { ModelChoice } from './model-choice';

type PanelDial = Exclude<DialName, 'seed'>;

const dials: readonly { name: PanelDial; step: string; max?: string }[] = [
  { name: 'temperature', step: '0.05' },
  { name: 'topP', step: '0.01', max: '1' },
  { name: 'topK', step: '1' },
  { name: 'length', step: '10', max: '1000' },
];

export function DialsPanel({ desk, open }: { desk: WritingDesk; open: Signal<boolean> }): JSX.Element {
  return (
    <aside id="dials" class="dials" data-open={open.value} aria-label={words.dials}>
      <h2>{words.dials}</h2>
      <Presets desk={desk} />
      {dials.map(({ name, ...limits }) => (
        <Dial key={name} desk={desk} name={name} {...limits} />
      ))}
      <ModelChoice desk={desk} />
      <section class="about">
        <h2>{words.aboutTitle}</h2>
        <p>{words.aboutSeed}</p>
        {words.about.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p>
          {words.aboutPrivacy}{' '}
          <a href={new URL('PROVENANCE.txt', bundledFolder).href} target="_blank" rel="noopener">
            {words.provenance}
          </a>
        </p>
        <p>
          <a href="explorer.html">{explorerWords.invitation}</a>
        </p>
      </section>
    </aside>
  );
}

/** Each sets several numbers at once and says in plain words what comes of it. */
function Presets({ desk }: { desk: WritingDesk }) {
  const chosen = presetOf(desk.story.dialTexts.value);
  const fixed = desk.machine.phase.value === 'writing' || desk.machine.phase.value === 'elsewhere';
  return (
    <fieldset class="presets" aria-describedby="preset-hint">
      <legend class="unseen">{words.presets.name}</legend>
      {presetNames.map((name) => (
        <label key={name} class="preset">
          <input
            type="radio"
            name="preset"
            checked={name === chosen}
            disabled={fixed}
            onChange={() => {
              desk.story.preset(name);
            }}
          />
          <span>{words.presets.names[name]}</span>
        </label>
      ))}
      <p id="preset-hint" class="hint">
        {chosen ? words.presets.hints[chosen] : words.presets.own}
      </p>
    </fieldset>
  );
}

function Dial({ desk, name, step, max }: { desk: WritingDesk; name: PanelDial; step: string; max?: string }) {
  const text = desk.story.dialTexts.value[name];
  const reading = desk.story.reading.value;
  const problem = 'problems' in reading ? reading.problems[name] : undefined;
  return (
    <div class="dial">
      <label for={name}>{words.dialLabels[name]}</label>
      <input
        id={name}
        type="number"
        inputmode="decimal"
        min="0"
        max={max}
        step={step}
        value={text}
        disabled={desk.machine.phase.value === 'writing' || desk.machine.phase.value === 'elsewhere'}
        aria-invalid={problem !== undefined}
        aria-describedby={`${name}-hint`}
        onInput={(event) => {
          desk.story.turn(name, event.currentTarget.value);
        }}
      />
      <p id={`${name}-hint`} class={problem ? 'hint problem' : 'hint'}>
        {problem ?? words.dialHints[name](Number(text))}
      </p>
    </div>
  );
}
