import { writeFileSync } from 'node:fs';
import { printPlaygroundExamples } from './playgroundExamples.ts';

writeFileSync(new URL('../src/surfaces/pages/gen/playgroundExamples.ts', import.meta.url), printPlaygroundExamples());
