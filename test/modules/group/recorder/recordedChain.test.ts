import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../../packages/devnet/src/app/application.ts';
import { decodeCommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import { createRecorder } from '../../../../src/modules/group/recorder/recorder.ts';
import type { Pin } from '../../../../src/reads/pin.ts';
import { nanoseconds, recordedGenesis } from '../../../devnet/recordedChain.ts';
import { readRecording } from '../../../recordings/recordings.ts';
import { appPins } from './appBlocks.ts';
import {
  createFactStore,
  expectAudits,
  expectGroupState,
  expectPolicyState,
  expectProposalState,
  type FactStore,
} from './factStore.ts';
import { lifeTexts, versionTexts } from './factText.ts';
import { type StateAnswer, statePins, wholeRequest } from './statePins.ts';

const month = '2592000000000000ns';
const soon = '20000000000ns';
const world = readRecording('world');
const policies = ['treasury', 'fast', 'council', 'aborting'] as const;
const names = new Map([
  ...Object.entries(world.addr).map(([name, address]) => [address, name] as const),
  ...policies.map((name) => [world[name].policy, name] as const),
]);
const nameOf = (address: string): string => names.get(address) ?? address;

/**
 * The life of each proposal, derived from the transactions. The voting periods of 7, 8 and 9 are over in the blocks 92, 94 and 97; the weights of the
 * group of the policy fast are alice=1, bob=1.5, carol=0.25.
 */
const lives: Readonly<Record<string, readonly string[]>> = {
  1: [
    `24.0 0D9E153C proposal treasury/1 of 1/1 by alice, "Pay dave" "Pay dave: summary" "ipfs://bafy-1" [MsgSend] ${month}`,
    '25.0 B9BD8805 vote of alice YES "looks right" MESSAGE',
    '26.0 022DA8C6 vote of bob YES "" MESSAGE',
    '27.0 26407F58 close DECIDED by alice ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 3',
    '27.1 26407F58 prune ACCEPTED',
    '27.2 26407F58 execution by alice SUCCESS ""',
  ],
  2: [
    `28.0 FC08341D proposal treasury/1 of 1/1 by bob, "Overdraw" "Overdraw: summary" "" [MsgSend] ${month}`,
    '29.0 29070A34 vote of bob YES "" MESSAGE',
    '31.0 9A87C85A vote of carol YES "" MESSAGE',
    '33.0 E9CA566D close DECIDED by bob ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 3',
    '33.1 E9CA566D execution by bob FAILURE "proposal execution failed on proposal 2, because of error message /cosmos.bank.v1beta1.MsgSend at position 0: spendable balance 4999999000000nhash is smaller than 999999999999999999nhash: insufficient funds"',
  ],
  3: [
    `35.0 A4D35987 proposal treasury/1 of 1/1 by carol, "Open with votes" "Open with votes: summary" "{"title":"Open with votes","authors":["carol"],"summary":"Open with votes: summary","details":"https://example.org/3"}" [MsgSend,MsgSend] ${month}`,
    '36.0 EC4B03CE vote of alice ABSTAIN "" MESSAGE',
    '38.0 3BE458AE vote of carol YES "mine" MESSAGE',
  ],
  4: [
    `40.0 FC41ABE4 proposal treasury/1 of 1/1 by bob, "To withdraw" "To withdraw: summary" "" [] ${month}`,
    '42.0 B120C105 close WITHDRAWN by bob WITHDRAWN none computed none group 1 policy 1 total 3',
  ],
  5: [
    `44.0 A5629068 proposal treasury/1 of 1/1 by alice, "Rejected" "Rejected: summary" "" [MsgSend] ${month}`,
    '45.0 81199266 vote of alice NO "" MESSAGE',
    '46.0 5855F0AA vote of bob NO_WITH_VETO "" MESSAGE',
    '47.0 0A7AC4E5 close DECIDED by carol REJECTED 0/0/1/1 computed 0/0/1/1 group 1 policy 1 total 3',
    '47.1 0A7AC4E5 execution by carol NOT_RUN ""',
  ],
  6: [
    `48.0 855F12F3 proposal treasury/1 of 1/1 by alice, "One step" "One step: summary" "" [MsgSend] ${month}`,
    '48.1 855F12F3 vote of alice YES "" PROPOSER',
    '48.2 855F12F3 execution by alice NOT_RUN ""',
    '49.0 93BD712C execution by alice NOT_RUN ""',
    '50.0 F7018FF5 vote of bob YES "" MESSAGE',
    '50.1 F7018FF5 close DECIDED by bob ACCEPTED 2/0/0/0 computed 2/0/0/0 group 1 policy 1 total 3',
    '50.2 F7018FF5 prune ACCEPTED',
    '50.3 F7018FF5 execution by bob SUCCESS ""',
  ],
  7: [
    `52.0 4F3E7083 proposal fast/1 of 2/1 by alice, "Ends accepted" "Ends accepted: summary" "" [MsgSend] ${soon}`,
    '53.0 8AB41EFF vote of alice YES "" MESSAGE',
    '54.0 BFA1B947 vote of bob YES "" MESSAGE',
    '92.0 - close VOTING_ENDED by - ACCEPTED 2.5/0/0/0 computed 2.5/0/0/0 group 1 policy 1 total 2.75',
  ],
  8: [
    `55.0 9AF875F3 proposal fast/1 of 2/1 by bob, "Ends rejected" "Ends rejected: summary" "" [MsgSend] ${soon}`,
    '56.0 7BE37455 vote of carol YES "" MESSAGE',
    '94.1 - close VOTING_ENDED by - REJECTED 0.25/0/0/0 computed 0.25/0/0/0 group 1 policy 1 total 2.75',
  ],
  9: [
    `57.0 402D26F2 proposal fast/1 of 2/1 by bob, "Withdrawn then pruned" "Withdrawn then pruned: summary" "" [] ${soon}`,
    '58.0 7560420F close WITHDRAWN by bob WITHDRAWN none computed none group 1 policy 1 total 2.75',
    '97.0 - prune WITHDRAWN',
  ],
  10: [
    `59.0 99C83A3A proposal council/1 of 3/1 by bob, "Council 1" "Council 1: summary" "" [MsgSend] ${month}`,
    '60.0 A2D860DD vote of alice NO "v1.0" MESSAGE',
  ],
  11: [
    `61.0 57C1D02C proposal council/1 of 3/1 by carol, "Council 2" "Council 2: summary" "" [MsgSend] ${month}`,
    '62.0 472D3561 vote of alice ABSTAIN "v2.0" MESSAGE',
    '63.0 53AD034D vote of bob NO_WITH_VETO "v2.1" MESSAGE',
  ],
  12: [
    `64.0 888FD4C7 proposal council/1 of 3/1 by dave, "Council 3" "Council 3: summary" "" [MsgSend] ${month}`,
    '66.0 1EAFFDBF vote of alice NO_WITH_VETO "v3.0" MESSAGE',
    '68.0 765339EA vote of bob YES "v3.1" MESSAGE',
    '70.0 CC10643F vote of carol NO "v3.2" MESSAGE',
  ],
  13: [`72.0 BCCD70D5 proposal council/1 of 3/1 by alice, "Council 4" "Council 4: summary" "" [MsgSend] ${month}`],
  14: [
    `74.0 7ED8FE14 proposal council/1 of 3/1 by bob, "Council 5" "Council 5: summary" "" [MsgSend] ${month}`,
    '76.0 5A87F344 vote of alice NO "v5.0" MESSAGE',
  ],
  15: [
    `78.0 41A527F0 proposal council/1 of 3/1 by carol, "Council 6" "Council 6: summary" "" [MsgSend] ${month}`,
    '79.0 5818D44F vote of alice ABSTAIN "v6.0" MESSAGE',
    '80.0 988468FC vote of bob NO_WITH_VETO "v6.1" MESSAGE',
  ],
  16: [
    `81.0 9406B9A8 proposal council/1 of 3/1 by dave, "Council 7" "Council 7: summary" "" [MsgSend] ${month}`,
    '82.0 58BA9FAB vote of alice NO_WITH_VETO "v7.0" MESSAGE',
    '83.0 56AF981C vote of bob YES "v7.1" MESSAGE',
    '84.0 2667FF72 vote of carol NO "v7.2" MESSAGE',
  ],
  17: [`85.0 C0DB7F21 proposal council/1 of 3/1 by alice, "Council 8" "Council 8: summary" "" [MsgSend] ${month}`],
  18: [
    `86.0 2948C450 proposal council/1 of 3/1 by bob, "Council 9" "Council 9: summary" "" [MsgSend] ${month}`,
    '87.0 92341A5E vote of alice NO "v9.0" MESSAGE',
  ],
  19: [
    `89.0 965475BA proposal council/1 of 3/1 by carol, "Council 10" "Council 10: summary" "" [MsgSend] ${month}`,
    '91.0 1F19E3C1 vote of alice ABSTAIN "v10.0" MESSAGE',
    '93.0 39740910 vote of bob NO_WITH_VETO "v10.1" MESSAGE',
  ],
  20: [
    `94.0 FB1862CE proposal council/1 of 3/1 by dave, "Council 11" "Council 11: summary" "" [MsgSend] ${month}`,
    '96.0 08288FAE vote of alice NO_WITH_VETO "v11.0" MESSAGE',
    '98.0 B6E675DF vote of bob YES "v11.1" MESSAGE',
    '100.0 52BAB89D vote of carol NO "v11.2" MESSAGE',
  ],
  21: [`102.0 B5CDB8E7 proposal council/1 of 3/1 by alice, "Council 12" "Council 12: summary" "" [MsgSend] ${month}`],
  22: [
    `157.0 EDB39D39 proposal aborting/1 of 4/1 by dave, "To abort" "To abort: summary" "" [] ${month}`,
    '159.0 925F7115 vote of dave YES "" MESSAGE',
    '160.0 1FA96441 close ABORTED by dave ABORTED none computed none group 1 policy 1 total 2',
  ],
};

/** All versions of the groups and policies. Numbers after the types are the lengths of the encoded decision policies. */
const versions = [
  '18.0 1398C744 group 1/1 created by alice, admin alice, "treasury", 3: alice=1 alice bob=1 bob carol=1 carol',
  '18.1 1398C744 policy treasury/1 of 1 created by alice, admin alice, "treasury policy", ThresholdDecisionPolicy 14',
  '19.0 938C9B3D group 2/1 created by alice, admin alice, "fast", 2.75: alice=1 alice bob=1.5 bob carol=0.25 carol',
  '19.1 938C9B3D policy fast/1 of 2 created by alice, admin alice, "fast policy", ThresholdDecisionPolicy 11',
  '20.0 86D4A689 group 3/1 created by bob, admin bob, "council", 100: alice=10 alice bob=20 bob carol=30 carol dave=40 dave',
  '20.1 86D4A689 policy council/1 of 3 created by bob, admin bob, "council policy", PercentageDecisionPolicy 16',
  '156.0 45C1ECC8 group 4/1 created by dave, admin dave, "aborting", 2: dave=1 dave alice=1 alice',
  '156.1 45C1ECC8 policy aborting/1 of 4 created by dave, admin dave, "aborting policy", ThresholdDecisionPolicy 14',
  '160.0 1FA96441 policy aborting/2 of 4 metadata by dave, admin dave, "new metadata", ThresholdDecisionPolicy 14',
  '161.0 CF705DC8 group 4/2 left by alice, admin dave, "aborting", 1: dave=1 dave',
];

/** The state that the node had at a height with recorded queries. */
function recordedPin(height: bigint): Pin {
  const rows = readRecording('queries').filter((row) => row.height === String(height) && row.path.startsWith('/cosmos.group.'));
  const answers = new Map(rows.map((row) => [`${row.path} ${wholeRequest(row.path, row.request)}`, row.response]));
  return statePins(
    ({ path, data }): StateAnswer => {
      const found = answers.get(`${path} ${wholeRequest(path, data)}`);
      if (found === undefined) throw new Error(`not recorded: ${path} ${data} at ${height}`);
      return found;
    },
    () => '',
  )(height);
}

let store: FactStore;

beforeAll(() => {
  store = createFactStore();
});

describe('the recorded chain', () => {
  it('at each recorded height, the facts imply the state that the node had', async () => {
    const blocks = readRecording('chain').map(({ block, block_results }) => decodeCommittedBlock(block, block_results));
    // No recording has the state at every height. The devnet has it: it executes the recorded transactions with the recorded results.
    const app = createApplication({ genesis: recordedGenesis() });
    const times = new Map(blocks.map(({ header }) => [header.height, nanoseconds(header.time)]));
    app.initChain({ chainId: 'testing', time: times.get(1n)! });
    const pin = appPins(app, times);
    const recorder = createRecorder();
    const compared: bigint[] = [];
    for (const block of blocks) {
      const { height } = block.header;
      const txs = block.txs.map((tx) => new Uint8Array(Buffer.from(tx, 'base64')));
      app.finalizeBlock({ height, time: times.get(height)!, txs, proposer: new Uint8Array(20) });
      const facts = await recorder.block(block, pin(height - 1n), pin(height), store);
      store.add(facts);
      const now = pin(height);
      const touched = facts.flatMap((fact) =>
        'proposalId' in fact ? [fact.proposalId] : fact.kind === 'proposal' ? [fact.id] : [],
      );
      const ids = height % 20n === 0n ? store.proposals.keys() : new Set(touched);
      for (const id of ids) await expectProposalState(store, now, id);
      if (![26n, 58n, 102n].includes(height)) continue;
      compared.push(height);
      const node = recordedPin(height);
      for (const id of store.proposals.keys()) await expectProposalState(store, node, id);
      for (const name of policies.slice(0, 3)) {
        await expectGroupState(store, node, BigInt(world[name as 'fast'].group));
        await expectPolicyState(store, node, world[name as 'fast'].policy);
      }
    }
    expect(compared).toEqual([26n, 58n, 102n]);
  });

  it.each(Object.keys(lives))('records the whole life of proposal %s', (id) => {
    expect(lifeTexts(store.facts, id, nameOf)).toEqual(lives[id]);
  });

  it('records every version of the groups and policies, and nothing else', () => {
    expect(versionTexts(store.facts, nameOf)).toEqual(versions);
    expect(store.facts).toHaveLength(versions.length + Object.values(lives).flat().length);
  });

  it('every recomputed tally equals the tally of the chain', () => {
    // The proposals 1, 2, 5, 6, 7 and 8.
    expect(expectAudits(store)).toBe(6);
  });
});
