import { render } from 'preact';
import { App } from './app.tsx';
import { isReturning } from './data/session.ts';
import { showFirstLanguage } from './language/language.ts';
import { beginPage } from './View.tsx';

if (!isReturning.value) beginPage();
await showFirstLanguage();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
