import { writeFileSync } from 'node:fs';
import { printPlaygroundExamples } from './playgroundExamples.ts';

writeFileSync(new URL('../dashboard/playground/gen/examples.ts', import.meta.url), printPlaygroundExamples());
