import { readFileSync } from 'node:fs';
import { unnamedChanges } from './schemaChanges.ts';

// Compares schema/schema.graphql with the released schema. Prints each breaking change that CHANGELOG.md does not name, and
// exits with 1 if there is one. A release copies schema/schema.graphql to schema/released.graphql.
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const errors = await unnamedChanges(
  read('../schema/released.graphql'),
  read('../schema/schema.graphql'),
  read('../CHANGELOG.md'),
);
for (const error of errors) console.error(error);
console.log(`schema: ${errors.length} breaking changes that CHANGELOG.md does not name`);
process.exitCode = errors.length > 0 ? 1 : 0;
