import { writeFileSync } from 'node:fs';
import { printLimits } from '../src/config/limits/limits.ts';

writeFileSync(new URL('../docs/limits.md', import.meta.url), printLimits());
