import '@fontsource-variable/literata/wght.css';
import { computed } from '@preact/signals';
import { render } from 'preact';
import { Updates } from './offline/updates';
import { Page } from './page/page';
import { refuseStrayFiles } from './page/stray-files';
import './styles/theme.css';
import './styles/page.css';
import './styles/dialog.css';
import './styles/library.css';
import './styles/models.css';
import './styles/story.css';
import './styles/tables.css';
import './styles/takes.css';
import { WritingDesk } from './writing/writing-desk';

const desk = new WritingDesk();
// Before the first paint: the model's worker starts meanwhile.
void desk.open();
const updates = new Updates(computed(() => desk.machine.phase.value === 'writing' || desk.models.busy.value));
void updates.watch();
refuseStrayFiles();
render(<Page desk={desk} updates={updates} />, document.body);
