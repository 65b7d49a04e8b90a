import { writeFileSync } from 'node:fs';
import { printErrors } from './printedPages.ts';

writeFileSync(new URL('../docs/errors.md', import.meta.url), printErrors());
