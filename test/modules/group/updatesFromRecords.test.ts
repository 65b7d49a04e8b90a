import { afterEach, beforeEach, expect, it } from 'vitest';
import { archiveOf } from '../../../src/archive/setup/archive.ts';
import { proposalUpdates, tallyUpdates } from '../../../src/modules/group/updateSchema.ts';
import { pinOf } from '../../../src/reads/pin.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as groups from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rootAt } from '../../support/streams.ts';

/** A group of weights 1, 1.5 and 1, a threshold of 2 and a voting period of 20 s. Accepted proposals are deleted 60 s later. */
let chain: TestChain;
let recording: Stack;
let group: groups.TestGroup;
const stacks: Stack[] = [];

/** A server over the chain, with the archive of the recording server or without one. */
async function serve({ records = false } = {}): Promise<Stack> {
  const stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  stacks.push(stack);
  if (records) stack.client.attach(archiveOf(recording.client.archive())!);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  return stack;
}

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n, maxExecutionSeconds: 60 });
  recording = await startStack([chain.node.url], { archive: { records: true } });
  const [one, two, three] = chain.accounts;
  group = await groups.createGroup(chain, [
    [one!, '1'],
    [two!, '1.5'],
    [three!, '1'],
  ]);
});
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.close();
  await recording.close();
  await chain.devnet.close();
});

/** The first events of the streams of a proposal that the chain has deleted. */
async function lastUpdates({ client }: Stack, id: bigint): Promise<{ readonly update: unknown; readonly tally: unknown }> {
  const height = chain.devnet.height;
  const start = { after: height, present: true };
  const read = async <T extends object>(stream: AsyncGenerator<T>): Promise<object> => {
    const { value } = await stream.next();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(pinOf(value).height).toBe(value.height);
    // Without the pin, which is a symbol.
    return Object.fromEntries(Object.entries(value));
  };
  return {
    update: await read(proposalUpdates(rootAt(client, height), { of: 'id', id }, start) as never),
    tally: await read(tallyUpdates(rootAt(client, height), id, start) as never),
  };
}

/** Makes proposals that the chain deletes in each way. Returns their ids. */
async function makeAll(): Promise<readonly bigint[]> {
  const [one, two, three] = chain.accounts;
  const executed = await groups.submitProposal(chain, group, one!);
  await chain.run(two!, groups.vote(two!, executed));
  await chain.run(one!, groups.vote(one!, executed, 'YES', true));
  await chain.run(one!, groups.weigh(one!, group, [[two!, '5']]));
  const single = await groups.submitProposal(chain, group, two!, { exec: true });
  // Executed in the block that also changes the group.
  const together = await groups.submitProposal(chain, group, three!);
  await chain.submit(one!, groups.weigh(one!, group, [[three!, '2']]));
  await chain.submit(two!, groups.vote(two!, together, 'YES', true));
  await chain.devnet.commit();
  const failed = await groups.submitProposal(chain, group, one!, { amount: '1000' });
  await chain.run(two!, groups.vote(two!, failed, 'YES', true));
  const withdrawn = await groups.submitProposal(chain, group, one!);
  await chain.run(one!, groups.withdraw(one!, withdrawn));
  const aborted = await groups.submitProposal(chain, group, three!);
  await chain.run(one!, groups.describePolicy(one!, group, 'new'));
  const rejected = await groups.submitProposal(chain, group, one!);
  await chain.run(three!, groups.vote(three!, rejected, 'NO'));
  // Voted on, and then withdrawn and deleted in the block after the end of its voting period.
  const late = await groups.submitProposal(chain, group, one!);
  await chain.submit(one!, groups.withdraw(one!, late));
  await chain.devnet.commit({ elapse: 21_000 });
  await chain.devnet.commit({ elapse: 100_000 });
  await chain.devnet.commit();
  return [executed, single, together, failed, withdrawn, aborted, rejected, late];
}

it.runIf(runsAll)(
  'the updates of deleted proposals are the same from the record as from the blocks and the state',
  async () => {
    const all = await makeAll();
    const plain = await serve();
    const expected = [];
    for (const id of all) expected.push(await lastUpdates(plain, id));
    const { height } = chain.devnet;
    // Each was deleted, and its last update is known.
    for (const { update } of expected)
      expect(update).toMatchObject({ proposal: null, status: expect.not.stringMatching(/UNSPECIFIED/) });

    chain.node.prune(height, { blocks: true });
    const recorded = await serve({ records: true });
    for (const [index, id] of all.entries()) expect(await lastUpdates(recorded, id)).toEqual(expected[index]);
    // Without an archive, nothing is known of them.
    const without = await serve();
    const { update } = await lastUpdates(without, all[0]!);
    expect(update).toMatchObject({ height, reasons: ['PRUNED'], status: 'PROPOSAL_STATUS_UNSPECIFIED', lastTally: null });
  },
);

it.runIf(runsAll)('the record names the height, so that no index is searched', async () => {
  const [id] = await makeAll();
  const recorded = await serve({ records: true });
  chain.node.counters.reset();
  await lastUpdates(recorded, id!);
  expect(chain.node.counters.log.filter(({ method }) => /search/.test(method))).toEqual([]);
  const without = await serve();
  chain.node.counters.reset();
  await lastUpdates(without, id!);
  expect(chain.node.counters.log.filter(({ method }) => /search/.test(method)).length).toBeGreaterThan(0);
});

it.runIf(runsAll)('a database that cannot be read leaves the search in blocks and indexes', async () => {
  const [id] = await makeAll();
  const expected = await lastUpdates(await serve(), id!);
  await archiveOf(recording.client.archive())!.close();
  expect(await lastUpdates(await serve({ records: true }), id!)).toEqual(expected);
});
