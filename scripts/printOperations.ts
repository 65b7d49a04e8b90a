import { writeFileSync } from 'node:fs';
import { printOperations } from '../src/http/openapi/operations.ts';

writeFileSync(new URL('../docs/operations.md', import.meta.url), printOperations());
