import { writeFileSync } from 'node:fs';
import { printSortedSchema } from '../src/graphql/printSchema.ts';

writeFileSync(new URL('../schema/schema.graphql', import.meta.url), printSortedSchema());
