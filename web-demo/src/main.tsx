import '@fontsource-variable/literata/wght.css';
import { render } from 'preact';
import { Page } from './page/page';
import './styles/theme.css';
import './styles/page.css';
import './styles/library.css';
import './styles/story.css';
import './styles/takes.css';
import { WritingDesk } from './writing/writing-desk';

const desk = new WritingDesk();
// Before the first paint: the model's worker starts meanwhile.
void desk.open();
render(<Page desk={desk} />, document.body);
