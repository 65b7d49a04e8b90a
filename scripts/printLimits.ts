import { writeFileSync } from 'node:fs';
import { printLimits } from '../src/config/limits/printLimits.ts';

writeFileSync(new URL('../docs/limits.md', import.meta.url), printLimits());
