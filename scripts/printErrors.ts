import { writeFileSync } from 'node:fs';
import { printErrors } from '../src/config/printErrors.ts';

writeFileSync(new URL('../docs/errors.md', import.meta.url), printErrors());
