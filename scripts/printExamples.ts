import { writeFileSync } from 'node:fs';
import { readExamples } from '../test/support/readExamples.ts';

const examples = await readExamples();
for (const [name, content] of Object.entries(examples)) {
  const file = new URL(`../data/openapi/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
