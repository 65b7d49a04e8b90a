import type { Builder } from '../../schema/builder.ts';
import { addBlock } from './blockSchema.ts';
import { addCommits } from './commitSchema.ts';
import { addHeader } from './headerSchema.ts';
import { addResults } from './resultsSchema.ts';
import { addNewBlock } from './subscriptionSchema.ts';

/** Adds blocks with their headers, commits and results. */
export function addBlocks(builder: Builder): void {
  addBlock(builder);
  addHeader(builder);
  addCommits(builder);
  addResults(builder);
  addNewBlock(builder);
}
