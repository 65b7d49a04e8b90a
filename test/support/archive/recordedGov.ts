import { expect } from 'vitest';
import type { ArchivePlace } from '../../../src/archive/setup/open.ts';
import { govBlocks, type govRecordings } from '../../recordings/gov.ts';
import { createGovNode, type GovNode } from '../../replay/govNode.ts';
import { type Stack, type StackOptions, startStack } from '../stack.ts';

type Name = (typeof govRecordings)[number];

/** A server whose archive has recorded the blocks of a recording with proposals of the governance module. */
export interface RecordedGov extends AsyncDisposable {
  readonly node: GovNode;
  readonly stack: Stack;
}

/** The height of the last block that is recorded. */
export const lastGovHeight = { gov: '340', late: '395' } as const satisfies Record<Name, string>;

/** The heights of the blocks of a recording. */
export const govHeights = (name: Name): readonly bigint[] =>
  govBlocks(name)
    .blocks.map(({ height }) => BigInt(height))
    .filter((height) => height <= BigInt(lastGovHeight[name]));

/** Starts a server over the recorded chain, and records it block by block. */
export async function recordGov(
  name: Name,
  place: ArchivePlace | true = true,
  options: StackOptions = {},
): Promise<RecordedGov> {
  const node = await createGovNode(name);
  const stack = await startStack([node.url], { client: { learnsRoots: false }, archive: { records: place } }, options);
  await node.subscribed();
  for (const height of govHeights(name).slice(1)) {
    node.emit(height);
    await stack.client.head.waitFor(height, { milliseconds: 10_000 });
  }
  // Returns when the archive holds the height.
  const pinned = { 'x-cosmos-block-height': lastGovHeight[name] };
  const { body } = await stack.ask('{ govProposalRecords(first: 1) { nodes { id } } }', {}, pinned);
  expect(body.errors).toBeUndefined();
  return {
    node,
    stack,
    async [Symbol.asyncDispose]() {
      await stack.close();
      await node.close();
    },
  };
}
