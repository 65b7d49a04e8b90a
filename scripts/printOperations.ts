import { writeFileSync } from 'node:fs';
import { printOperations } from '../src/surfaces/openapi/operations.ts';

writeFileSync(new URL('../docs/operations.md', import.meta.url), printOperations());
