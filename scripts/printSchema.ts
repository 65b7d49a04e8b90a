import { writeFileSync } from 'node:fs';
import { schemaText } from '../src/graphql/schema.ts';

writeFileSync(new URL('../schema/schema.graphql', import.meta.url), schemaText());
