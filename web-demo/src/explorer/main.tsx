import '@fontsource-variable/literata/wght.css';
import { computed, effect } from '@preact/signals';
import { render } from 'preact';
import { ModelShelf } from '../models/model-shelf';
import { Updates } from '../offline/updates';
import { refuseStrayFiles } from '../page/stray-files';
import '../styles/theme.css';
import '../styles/models.css';
import '../styles/page.css';
import '../styles/tables.css';
import { queryOf, startOf } from './address';
import { Explorer } from './explorer';
import { ExplorerPage } from './explorer-page';
import './explorer.css';
import { SourceChoice } from './source-choice';

const shelf = new ModelShelf();
const explorer = new Explorer(shelf.loaded, startOf(location.search));
const choice = new SourceChoice(explorer, shelf);
const updates = new Updates(computed(() => explorer.running.value || explorer.proving.value || shelf.busy.value));
void shelf.open();
void updates.watch();
refuseStrayFiles();
render(<ExplorerPage explorer={explorer} shelf={shelf} choice={choice} updates={updates} />, document.body);

// What is written can be found again, and passed on.
effect(() => {
  if (explorer.settings.value) history.replaceState(null, '', queryOf(explorer.fields.peek(), explorer.pasted.peek()));
});

// Something to look at, as soon as there can be.
const stop = effect(() => {
  if (!explorer.canWrite.value) return;
  queueMicrotask(() => {
    stop();
    void explorer.write();
  });
});
