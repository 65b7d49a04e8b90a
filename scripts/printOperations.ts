import { writeFileSync } from 'node:fs';
import { printOperations } from './operations.ts';

writeFileSync(new URL('../docs/operations.md', import.meta.url), printOperations());
