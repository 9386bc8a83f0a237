import type { JSX } from 'preact';
import { CandidatesPlot } from './candidates-plot';
import type { Chain } from './chain';
import { largestUniform, type Explorer, type Place } from './explorer';
import { decimal, percent, quoted, visible } from './show';
import type { Source } from './source';
import type { TokenView } from './token-view';
import { WalkPlot } from './walk-plot';
import { words } from './words';

/** How the token that is looked at was drawn, and what else could have been. */
export function TokenPanel({ explorer }: { explorer: Explorer }): JSX.Element | null {
  const [place, chain, source] = [explorer.place.value, explorer.chain.value, explorer.source.value];
  if (!place || !chain || !source) return null;
  return (
    <section class="token" aria-labelledby="token-title">
      <h2 id="token-title">{words.token}</h2>
      <Steps explorer={explorer} place={place} chain={chain} />
      {explorer.view.value && <Look explorer={explorer} source={source} view={explorer.view.value} />}
    </section>
  );
}

function Steps({ explorer, place, chain }: { explorer: Explorer; place: Place; chain: Chain }) {
  const pieces = chain.pieces.value;
  const last = place.token === pieces.length - 1;
  const before = pieces.slice(Math.max(0, place.token - 12), place.token).join('');
  const after = pieces.slice(place.token + 1, place.token + 9).join('');
  return (
    <div class="steps">
      <div class="step-buttons">
        <button
          type="button"
          aria-disabled={place.token === 0}
          onClick={() => {
            explorer.back();
          }}
        >
          {words.steps.back}
        </button>
        <button
          type="button"
          aria-disabled={last && (chain.ended || explorer.running.value)}
          onClick={() => void explorer.forward()}
        >
          {last ? words.steps.draw : words.steps.forward}
        </button>
      </div>
      <label for="jump">{words.where(place.token + 1, pieces.length, chain.seed)}</label>
      <input
        id="jump"
        type="range"
        min={1}
        max={pieces.length}
        value={place.token + 1}
        onInput={(event) => {
          explorer.go({ ...place, token: event.currentTarget.valueAsNumber - 1 });
        }}
      />
      <p class="context" aria-label={words.context}>
        {before}
        <mark>{pieces[place.token]}</mark>
        {after}
      </p>
    </div>
  );
}

interface LookProps {
  explorer: Explorer;
  source: Source;
  view: TokenView;
}

function Look({ explorer, source, view }: LookProps) {
  const label = (id: number): string => source.label(id);
  const { walk, hit, counts, settings } = view;
  const greedy = settings.temperature === 0;
  const share = walk.find(({ id }) => id === hit);
  const all = counts.kept + counts.topK + counts.topP + counts.temperature;
  return (
    <>
      <div class="outcome" role="status">
        <p>
          {greedy
            ? words.greedy(quoted(label(hit)))
            : words.outcome(
                quoted(label(hit)),
                decimal(view.u),
                decimal(share?.from ?? 0),
                decimal(share?.to ?? 1),
              )}{' '}
          {words.kept(counts.kept, all)}
        </p>
        {explorer.trial.value && <Consequences explorer={explorer} view={view} label={label} />}
      </div>
      <div class="look">
        <div>
          <figure>
            <figcaption>
              <h3>{words.candidates}</h3>
              <Legend view={view} />
            </figcaption>
            <CandidatesPlot view={view} label={label} />
          </figure>
          <CandidatesTable view={view} label={label} />
        </div>
        <div>
          <figure>
            <figcaption>
              <h3>{words.walk}</h3>
              <p class="hint">
                {words.walkHint} {words.dragHint}
              </p>
            </figcaption>
            <WalkPlot
              view={view}
              vocabSize={source.vocabSize}
              label={label}
              onU={(u) => {
                explorer.attempt({ u });
              }}
            />
          </figure>
          <Trials explorer={explorer} view={view} />
          <Around view={view} label={label} />
        </div>
      </div>
    </>
  );
}

function Consequences({ explorer, view, label }: { explorer: Explorer; view: TokenView; label: Source['label'] }) {
  const before = explorer.chain.value?.drawn[explorer.place.value?.token ?? 0];
  const now = quoted(label(view.hit));
  const change = explorer.change.value;
  return (
    <p>
      <strong>
        {before === undefined || before === view.hit ? words.sameHere(now) : words.instead(now, quoted(label(before)))}
      </strong>{' '}
      {change === undefined ? words.foreseeing : change === null ? words.changesNowhere : words.changesAt(change + 1)}
    </p>
  );
}

function Legend({ view }: { view: TokenView }) {
  const kinds = (['kept', 'topK', 'topP', 'temperature'] as const).filter((kind) => view.counts[kind] > 0);
  return (
    <ul class="legend">
      <li data-kind="hit">{words.hit}</li>
      {kinds.map((kind) => (
        <li key={kind} data-kind={kind}>
          {words.fates[kind]}: {view.counts[kind]}
        </li>
      ))}
    </ul>
  );
}

function Trials({ explorer, view }: { explorer: Explorer; view: TokenView }) {
  const { settings, u } = view;
  // By what was written, not by what is tried: else the slider would change under the hand.
  const written = explorer.settings.value ?? settings;
  return (
    <fieldset class="trials">
      <legend>{words.trial}</legend>
      <p class="hint">{words.trialHint}</p>
      <Slider
        id="try-u"
        label={words.u}
        value={u}
        most={largestUniform}
        step={0.0001}
        shown={decimal(u)}
        turn={(value) => {
          explorer.attempt({ u: value });
        }}
      />
      <Slider
        id="try-temperature"
        label={words.fields.temperature}
        value={settings.temperature}
        most={Math.max(2, written.temperature)}
        step={0.05}
        shown={String(settings.temperature)}
        turn={(temperature) => {
          explorer.attempt({ settings: { temperature } });
        }}
      />
      <Slider
        id="try-topK"
        label={words.fields.topK}
        value={settings.topK}
        most={Math.max(100, written.topK)}
        step={1}
        shown={String(settings.topK)}
        turn={(topK) => {
          explorer.attempt({ settings: { topK } });
        }}
      />
      <Slider
        id="try-topP"
        label={words.fields.topP}
        value={settings.topP}
        most={1}
        step={0.01}
        shown={String(settings.topP)}
        turn={(topP) => {
          explorer.attempt({ settings: { topP } });
        }}
      />
      <div class="form-actions">
        <button
          type="button"
          aria-disabled={explorer.trial.value === null}
          onClick={() => {
            explorer.trial.value = null;
          }}
        >
          {words.reset}
        </button>
        <button
          type="button"
          aria-disabled={explorer.trial.value === null || !explorer.canWrite.value}
          onClick={() => void explorer.adopt()}
        >
          {words.adopt}
        </button>
      </div>
    </fieldset>
  );
}

interface SliderProps {
  id: string;
  label: string;
  value: number;
  most: number;
  step: number;
  shown: string;
  turn: (value: number) => void;
}

function Slider({ id, label, value, most, step, shown, turn }: SliderProps) {
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <output for={id}>{shown}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={most}
        step={step}
        value={value}
        aria-valuetext={shown}
        onInput={(event) => {
          turn(event.currentTarget.valueAsNumber);
        }}
      />
    </div>
  );
}

interface TableProps {
  view: TokenView;
  label: (id: number) => string;
}

/** The bars in numbers. */
function CandidatesTable({ view: { candidates, hit }, label }: TableProps) {
  return (
    <table>
      <caption>{words.candidates}</caption>
      <thead>
        <tr>
          <th scope="col">{words.columns.rank}</th>
          <th scope="col">{words.columns.token}</th>
          <th scope="col">{words.columns.id}</th>
          <th scope="col">{words.columns.before}</th>
          <th scope="col">{words.columns.fate}</th>
        </tr>
      </thead>
      <tbody>
        {candidates.map(({ id, rank, probability, fate }) => (
          <tr key={id} class={id === hit ? 'hit' : undefined}>
            <td>{rank + 1}</td>
            <th scope="row">{visible(label(id))}</th>
            <td>{id}</td>
            <td>{percent(probability)}</td>
            <td>{id === hit ? words.hit : words.fates[fate]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The tokens whose shares lie beside u. */
function Around({ view: { walk, hit }, label }: TableProps) {
  const at = walk.findIndex(({ id }) => id === hit);
  const near = walk.slice(Math.max(0, at - 3), at + 4);
  return (
    <table>
      <caption>{words.around}</caption>
      <thead>
        <tr>
          <th scope="col">{words.columns.token}</th>
          <th scope="col">{words.columns.id}</th>
          <th scope="col">{words.columns.from}</th>
          <th scope="col">{words.columns.to}</th>
        </tr>
      </thead>
      <tbody>
        {near.map(({ id, from, to }) => (
          <tr key={id} class={id === hit ? 'hit' : undefined}>
            <th scope="row">{visible(label(id))}</th>
            <td>{id}</td>
            <td>{decimal(from)}</td>
            <td>{decimal(to)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
