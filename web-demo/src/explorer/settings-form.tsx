import type { ComponentChildren, JSX } from 'preact';
import type { SourceChoice } from './source-choice';
import { mostSeeds, mostTokens, type Explorer, type Fields } from './explorer';
import { words } from './words';

/** What to write, with which seeds and settings. */
export function SettingsForm({ explorer, choice }: { explorer: Explorer; choice: SourceChoice }): JSX.Element {
  const pasted = explorer.pasted.value;
  const running = explorer.running.value;
  return (
    <form
      class="form"
      aria-label={words.form}
      onSubmit={(event) => {
        event.preventDefault();
        void explorer.write();
      }}
    >
      <Field name="source">
        <select
          id="source"
          value={choice.chosen.value}
          disabled={running}
          onChange={(event) => {
            choice.choose(event.currentTarget.value);
          }}
        >
          {choice.choices.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {pasted ? (
        <Field name="logits" hint={words.hints.logits} wide>
          <textarea
            id="logits"
            rows={2}
            spellcheck={false}
            aria-describedby="logits-hint"
            value={explorer.fields.value.logits}
            onInput={(event) => {
              explorer.type('logits', event.currentTarget.value);
            }}
          />
        </Field>
      ) : (
        <Field name="prompt" wide>
          <textarea
            id="prompt"
            rows={2}
            value={explorer.fields.value.prompt}
            onInput={(event) => {
              explorer.type('prompt', event.currentTarget.value);
            }}
          />
        </Field>
      )}
      <TextField explorer={explorer} name="seeds" hint={words.hints.seeds(mostSeeds)} />
      <NumberField explorer={explorer} name="temperature" min={0} step={0.05} />
      <NumberField explorer={explorer} name="topK" min={0} step={1} />
      <NumberField explorer={explorer} name="topP" min={0} max={1} step={0.01} />
      <NumberField explorer={explorer} name="length" min={1} max={mostTokens} step={1} />
      <div class="form-actions">
        <button type="submit" class="primary" aria-disabled={!explorer.canWrite.value}>
          {words.write}
        </button>
        <button
          type="button"
          aria-disabled={!running}
          onClick={() => {
            explorer.stop();
          }}
        >
          {words.stop}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: keyof typeof words.fields;
  hint?: string;
  wide?: boolean;
  children: ComponentChildren;
}

function Field({ name, hint, wide = false, children }: FieldProps) {
  return (
    <div class={wide ? 'field wide' : `field ${name}-field`}>
      <label for={name}>{words.fields[name]}</label>
      {children}
      {hint !== undefined && (
        <p id={`${name}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

function TextField({ explorer, name, hint }: { explorer: Explorer; name: 'seeds'; hint: string }) {
  return (
    <Field name={name} hint={hint}>
      <input
        id={name}
        type="text"
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${name}-hint`}
        value={explorer.fields.value[name]}
        onInput={(event) => {
          explorer.type(name, event.currentTarget.value);
        }}
      />
    </Field>
  );
}

interface NumberFieldProps {
  explorer: Explorer;
  name: keyof Fields & keyof typeof words.fields;
  min: number;
  max?: number;
  step: number;
}

function NumberField({ explorer, name, min, max, step }: NumberFieldProps) {
  return (
    <Field name={name}>
      <input
        id={name}
        type="number"
        inputmode="decimal"
        min={min}
        max={max}
        step={step === 1 ? 1 : 'any'}
        value={explorer.fields.value[name]}
        onInput={(event) => {
          explorer.type(name, event.currentTarget.value);
        }}
      />
    </Field>
  );
}
