import { writeFileSync } from 'node:fs';
import { printStoresByMethod, readStoresByMethod } from './storesByMethod.ts';

writeFileSync(new URL('../src/chain/roots/gen/storesByMethod.ts', import.meta.url), printStoresByMethod(readStoresByMethod()));
