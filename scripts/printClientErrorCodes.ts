import { readFileSync, writeFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { clientErrorCodes } from './clientErrorCodes.ts';

const schema = buildSchema(readFileSync(new URL('../schema/schema.graphql', import.meta.url), 'utf8'), { assumeValid: true });
writeFileSync(new URL('../packages/client/src/gen/errorCode.ts', import.meta.url), clientErrorCodes(schema));
