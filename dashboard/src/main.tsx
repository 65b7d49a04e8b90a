import { render } from 'preact';
import { App } from './app.tsx';
import { showFirstLanguage } from './language/language.ts';

await showFirstLanguage();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
