import { writeFileSync } from 'node:fs';
import { printLimits } from './printedPages.ts';

writeFileSync(new URL('../docs/limits.md', import.meta.url), printLimits());
