import { writeFileSync } from 'node:fs';
import { printErrors } from '../src/config/errorCodes.ts';

writeFileSync(new URL('../docs/errors.md', import.meta.url), printErrors());
