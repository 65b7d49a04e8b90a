import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTime } from '../../src/chain/base/time.ts';
import { type CommittedBlock, decodeCommittedBlock } from '../../src/chain/blocks/committedBlock.ts';
import { groupEvents } from '../../src/modules/group/events.ts';
import { advanceProposals, readWatched, type Target } from '../../src/modules/group/proposalUpdates.ts';
import { proposalUpdates, tallyUpdates } from '../../src/modules/group/updateSchema.ts';
import { createPin } from '../../src/reads/pin.ts';
import { executeRecordedChain, lastHeight, type RecordedChain } from '../devnet/recordedChain.ts';
import { readRecording } from '../recordings/recordings.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { eventsUpTo, rootAt } from '../support/streams.ts';
import { createReplayNode } from './replayNode.ts';

const chain = readRecording('chain');
const world = readRecording('world');

const accepted = 'ACCEPTED';
const open = 'SUBMITTED';

/**
 * Changes of each proposal up to height 107, from the transactions of the scenario, the recorded events and the states in
 * queries.json. At heights 92 and 94 the voting periods of 7 and 8 end, 20 s after 52 and 55, without an event.
 */
const histories: Readonly<Record<string, readonly string[]>> = {
  1: ['24 SUBMITTED', '25 VOTED', '26 VOTED', `27 EXECUTED,PRUNED ${accepted} SUCCESS`],
  2: ['28 SUBMITTED', '29 VOTED', '31 VOTED', `33 EXECUTED ${accepted} FAILURE`],
  3: ['35 SUBMITTED', '36 VOTED', '38 VOTED'],
  4: ['40 SUBMITTED', '42 WITHDRAWN WITHDRAWN NOT_RUN'],
  5: ['44 SUBMITTED', '45 VOTED', '46 VOTED', '47 EXECUTED REJECTED NOT_RUN'],
  6: ['48 SUBMITTED,VOTED,EXECUTED', '49 EXECUTED', `50 VOTED,EXECUTED,PRUNED ${accepted} SUCCESS`],
  7: ['52 SUBMITTED', '53 VOTED', '54 VOTED', `92 VOTING_ENDED ${accepted} NOT_RUN`],
  8: ['55 SUBMITTED', '56 VOTED', '94 VOTING_ENDED REJECTED NOT_RUN'],
  9: ['57 SUBMITTED', '58 WITHDRAWN WITHDRAWN NOT_RUN', '97 PRUNED WITHDRAWN NOT_RUN'],
  10: ['59 SUBMITTED', '60 VOTED'],
  11: ['61 SUBMITTED', '62 VOTED', '63 VOTED'],
  12: ['64 SUBMITTED', '66 VOTED', '68 VOTED', '70 VOTED'],
  13: ['72 SUBMITTED'],
  14: ['74 SUBMITTED', '76 VOTED'],
  15: ['78 SUBMITTED', '79 VOTED', '80 VOTED'],
  16: ['81 SUBMITTED', '82 VOTED', '83 VOTED', '84 VOTED'],
  17: ['85 SUBMITTED'],
  18: ['86 SUBMITTED', '87 VOTED'],
  19: ['89 SUBMITTED', '91 VOTED', '93 VOTED'],
  20: ['94 SUBMITTED', '96 VOTED', '98 VOTED', '100 VOTED'],
  21: ['102 SUBMITTED'],
};

/** Final tallies, as `yes abstain no veto`: those of EventProposalPruned (1, 6, 9), or those in queries.json at 102. */
const tallies: Readonly<Record<string, string | null>> = {
  1: '2 0 0 0',
  2: '2 0 0 0',
  3: '1 1 0 0',
  4: null,
  5: '0 0 1 1',
  6: '2 0 0 0',
  7: '2.5 0 0 0',
  8: '0.25 0 0 0',
  9: null,
  10: '0 0 10 0',
  11: '0 10 0 20',
  12: '20 0 30 10',
  13: '0 0 0 0',
};

/** Proposals of each policy, and the members of its group. */
const treasury = ['1', '2', '3', '4', '5', '6'];
const fast = ['7', '8', '9'];
const council = Object.keys(histories).filter((id) => Number(id) >= 10);

let recorded: RecordedChain;
let stack: Stack;

beforeAll(async () => {
  recorded = await executeRecordedChain();
  stack = await startStack([recorded.url]);
  await stack.client.head.waitFor(BigInt(lastHeight), { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await recorded.devnet.close();
});

/** Reads all events of a stream from the first block. Leaves out the status and result of an open proposal. */
async function readEvents(target: Target): Promise<[string, string][]> {
  const root = rootAt(stack.client, BigInt(lastHeight));
  const updates = await eventsUpTo(proposalUpdates(root, target, { after: 0n, present: false }), BigInt(lastHeight));
  return updates.map(({ proposalId, height, reasons, status, executorResult }) => {
    const state = `${status.replace('PROPOSAL_STATUS_', '')} ${executorResult.replace('PROPOSAL_EXECUTOR_RESULT_', '')}`;
    return [proposalId.toString(), `${height} ${reasons.join()}${state === `${open} NOT_RUN` ? '' : ` ${state}`}`];
  });
}

/** The changes of several proposals in the order of a stream of all of them. */
function historyOf(ids: readonly string[]): [string, string][] {
  const all = ids.flatMap((id) => histories[id]!.map((line): [string, string] => [id, line]));
  return all.sort(([a, one], [b, two]) => Number.parseInt(one, 10) - Number.parseInt(two, 10) || Number(a) - Number(b));
}

describe('the recorded chain, executed up to 107', () => {
  it.each(Object.keys(histories))('reports every change of proposal %s', async (id) => {
    expect(await readEvents({ of: 'id', id: BigInt(id) })).toEqual(historyOf([id]));
  });

  it.each([
    ['treasury', treasury],
    ['fast', fast],
    ['council', council],
  ] as const)('reports every change of the proposals of the %s policy', async (name, ids) => {
    expect(await readEvents({ of: 'policy', address: world[name].policy })).toEqual(historyOf(ids));
  });

  it('reports to a member the proposals of all its groups', async () => {
    const all = [...treasury, ...fast, ...council];
    expect(await readEvents({ of: 'member', address: world.addr.alice })).toEqual(historyOf(all));
    expect(await readEvents({ of: 'member', address: world.addr.dave })).toEqual(historyOf(council));
    expect(await readEvents({ of: 'member', address: world.addr.validator })).toEqual([]);
  });

  it.each(Object.keys(tallies))('reports the tally of proposal %s up to its final value', async (id) => {
    const root = rootAt(stack.client, BigInt(lastHeight));
    const updates = await eventsUpTo(tallyUpdates(root, BigInt(id), { after: 0n, present: false }), BigInt(lastHeight));
    const heights = updates.map(({ height }) => height.toString());
    // An execution before the decision does not change the tally. A withdrawal ends the stream; the later deletion is not
    // reported.
    const moving = histories[id]!.filter((line) => !line.startsWith('49 ') && !line.startsWith('97 '));
    expect(heights).toEqual(moving.map((line) => line.split(' ')[0]));
    const { tally, final, outcome } = updates.at(-1)!;
    const counts = tally && [tally.yesCount, tally.abstainCount, tally.noCount, tally.noWithVetoCount].join(' ');
    expect(counts).toEqual(tallies[id]);
    const over = ['1', '2', '4', '5', '6', '7', '8', '9'].includes(id);
    expect([final, outcome === null]).toEqual([over, over]);
  });
});

describe('the recorded blocks', () => {
  const blockAt = (height: number): CommittedBlock => {
    const { block, block_results } = chain[height - 1]!;
    return decodeCommittedBlock(block, block_results);
  };

  it('have exactly the group events of the scenario', () => {
    const eventful = chain.map(({ height }) => Number(height)).filter((height) => !groupEvents(blockAt(height)).isEmpty);
    const expected = Object.values(histories).flatMap((lines) => lines.map((line) => Number.parseInt(line, 10)));
    // Groups are created at 18, 19, 20 and 156. Height 92 has no event of proposal 7; height 94 has one of 20 but none of 8.
    const others = [18, 19, 20, 156, 157, 159, 160, 161];
    expect(eventful).toEqual([...new Set([...expected, ...others])].filter((height) => height !== 92).sort((a, b) => a - b));
    expect(groupEvents(blockAt(27))).toMatchObject({
      executed: new Map([[1n, 'PROPOSAL_EXECUTOR_RESULT_SUCCESS']]),
      pruned: new Map([
        [
          1n,
          {
            status: 'PROPOSAL_STATUS_ACCEPTED',
            tally: { yesCount: '2', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
          },
        ],
      ]),
    });
    expect(groupEvents(blockAt(97)).pruned).toEqual(new Map([[9n, { status: 'PROPOSAL_STATUS_WITHDRAWN', tally: null }]]));
    expect(groupEvents(blockAt(160)).policyUpdated).toEqual(new Set([world.aborting.policy]));
    expect(groupEvents(blockAt(161)).leavers).toEqual(new Map([[BigInt(world.aborting.group), new Set([world.addr.alice])]]));
    expect(groupEvents(blockAt(156)).groupCreated).toEqual(new Set([BigInt(world.aborting.group)]));
  });

  it('abort proposal 22 at 160, where the only event is that of its policy', async () => {
    const node = await createReplayNode();
    const replay = await startStack([node.url]);
    await replay.client.head.ready();
    // The proposal recorded at 566 is unchanged since 160.
    const pin = createPin(replay.client, 566n);
    const target: Target = { of: 'id', id: 22n };
    const watched = {
      groups: new Set<bigint>(),
      policies: new Map([[world.aborting.policy, BigInt(world.aborting.group)]]),
      open: new Map([[22n, { policy: world.aborting.policy, votingPeriodEnd: parseTime('2026-12-21T02:49:22.537411191Z') }]]),
    };
    const idle = await advanceProposals(target, watched, blockAt(158), pin, pin);
    expect(idle).toEqual({ updates: [], watched });
    const aborted = await advanceProposals(target, watched, blockAt(160), pin, pin);
    expect(aborted.updates).toMatchObject([
      { proposalId: 22n, height: 160n, reasons: ['POLICY_UPDATED'], status: 'PROPOSAL_STATUS_ABORTED' },
    ]);
    const left = await advanceProposals(target, aborted.watched, blockAt(161), pin, pin);
    expect(left.updates).toEqual([]);
    expect([...left.watched.open]).toEqual([...(await readWatched(pin, target)).open]);
    expect(node.unrecorded).toEqual([]);
    await replay.close();
    await node.close();
  });
});
