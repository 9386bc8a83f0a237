import type { JSX } from 'preact';
import { ModelsView } from '../models/models-view';
import type { ModelShelf } from '../models/model-shelf';
import { UpdateNotice } from '../offline/update-notice';
import type { Updates } from '../offline/updates';
import { QuillIcon } from '../page/icons';
import type { Explorer } from './explorer';
import { ProofPanel } from './proof-panel';
import { SettingsForm } from './settings-form';
import type { SourceChoice } from './source-choice';
import { Texts } from './texts';
import { TokenPanel } from './token-panel';
import { UniformTable } from './uniform-table';
import { words } from './words';

interface Props {
  explorer: Explorer;
  shelf: ModelShelf;
  choice: SourceChoice;
  updates: Updates;
}

export function ExplorerPage({ explorer, shelf, choice, updates }: Props): JSX.Element {
  return (
    <div class="explorer" data-running={explorer.running.value} data-ready={explorer.canWrite.value}>
      <header class="header">
        <h1 class="brand">
          <QuillIcon />
          {words.title}
        </h1>
        <p class="tagline">{words.tagline}</p>
        <a class="keeping" href="./">
          {words.editor}
        </a>
      </header>
      <UpdateNotice updates={updates} />
      <main>
        <p class="lead">{words.lead}</p>
        <SettingsForm explorer={explorer} choice={choice} />
        <ModelStatus explorer={explorer} shelf={shelf} />
        {explorer.problem.value !== null && (
          <div class="notice trouble" role="alert">
            <p class="notice-text">
              <strong>{words.problem}</strong> {explorer.problem.value}
            </p>
          </div>
        )}
        <Texts explorer={explorer} />
        <TokenPanel explorer={explorer} />
        <ProofPanel explorer={explorer} />
        <UniformTable explorer={explorer} />
        <ModelsView shelf={shelf} />
      </main>
    </div>
  );
}

function ModelStatus({ explorer, shelf }: { explorer: Explorer; shelf: ModelShelf }) {
  if (explorer.pasted.value) return null;
  const loading = shelf.loading.value;
  const failure = shelf.failure.value;
  if (failure !== null) {
    return (
      <div class="notice trouble" role="alert">
        <div class="notice-text">
          <p>
            <strong>{words.noModel}</strong>
          </p>
          <p class="details">{failure}</p>
        </div>
        <button type="button" onClick={() => void shelf.use(shelf.chosen.value)}>
          {words.tryAgain}
        </button>
      </div>
    );
  }
  return (
    <p class="model-status hint" role="status">
      {loading && words.loading(loading.loaded, loading.total)}
    </p>
  );
}
