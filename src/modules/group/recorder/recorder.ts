import { LRUCache } from 'lru-cache';
import type { Fact, OpenProposals, Recorder } from '../../../archive/facts.ts';
import { parseTime } from '../../../chain/base/time.ts';
import type { CommittedBlock } from '../../../chain/blocks/committedBlock.ts';
import { decodeTx } from '../../../chain/transactions/tx.ts';
import type { Pin } from '../../../reads/pin.ts';
import { fromAny } from '../../any/codec.ts';
import { isGroupEvent } from '../events.ts';
import { earlierFacts } from './earlier.ts';
import { type BlockGroups, createBlockGroups } from './groups.ts';
import { createLedger } from './ledger.ts';
import { recorderState, startFacts } from './state.ts';
import {
  type GroupTransaction,
  governanceMessage,
  isOfBlockEnd,
  placedEvents,
  recordUnexplained,
  walkBlockEvents,
  walkTransaction,
} from './walk.ts';

function groupTransactions({ transactions }: CommittedBlock): readonly GroupTransaction[] {
  return transactions
    .filter(({ result }) => result.code === 0 && result.events.some(isGroupEvent))
    .map(({ tx, hash, result: { events } }) => {
      const messages = decodeTx(Buffer.from(tx, 'base64'))?.body.messages ?? [];
      return { hash, messages: messages.map(fromAny), events };
    });
}

/** The groups of policies. The group of a policy never changes. */
type GroupIds = LRUCache<string, bigint>;

/** The policies whose groups are kept. */
const keptPolicies = 10_000;

/** Begins to read the policies of all submissions of a block, and their groups if they are known. */
function readPolicies(groups: BlockGroups, transactions: readonly GroupTransaction[], groupIds: GroupIds): void {
  for (const message of transactions.flatMap(({ messages }) => messages)) {
    const governance = governanceMessage(message);
    if (governance?.kind !== 'submit') continue;
    const { groupPolicyAddress } = governance.message;
    groups.readAheadForSubmission(groupPolicyAddress, groupIds.get(groupPolicyAddress));
  }
}

function noteGroups(facts: readonly Fact[], groupIds: GroupIds): readonly Fact[] {
  for (const fact of facts) {
    if (fact.kind === 'policy') groupIds.set(fact.address, fact.groupId);
    else if (fact.kind === 'proposal' && fact.groupId !== null) groupIds.set(fact.groupPolicyAddress, fact.groupId);
  }
  return facts;
}

async function blockFacts(
  block: CommittedBlock,
  before: Pin,
  now: Pin,
  recorded: OpenProposals,
  groupIds: GroupIds,
): Promise<readonly Fact[]> {
  const { height, time: timeText } = block.header;
  const time = parseTime(timeText);
  const all = [...block.transactions.flatMap(({ result }) => result.events), ...block.events].filter(isGroupEvent);
  const open = await recorded.open(height);
  if (all.length === 0 && open.every(({ votingPeriodEnd }) => votingPeriodEnd >= time)) return [];

  const stateBefore = recorderState(height > 1n ? before : null);
  const stateNow = recorderState(now);
  const events = placedEvents(all).map(({ event }) => event);
  const reads = { open: () => Promise.resolve(open), proposal: recorded.proposal };
  const groups = createBlockGroups(stateBefore, stateNow);
  const ledger = createLedger({ height, time, events }, groups, stateBefore, stateNow, reads);
  const transactions = groupTransactions(block);
  await ledger.readAhead();
  readPolicies(groups, transactions, groupIds);

  const beginEvents = block.events.filter((event) => !isOfBlockEnd(event));
  for (const { event } of await walkBlockEvents(ledger, beginEvents, now)) await recordUnexplained(ledger, event);
  for (const transaction of transactions) await walkTransaction(ledger, transaction);
  ledger.enter(null);
  const last = await walkBlockEvents(ledger, block.events.filter(isOfBlockEnd), now);
  await ledger.endVoting();
  for (const { event } of last) await recordUnexplained(ledger, event);
  return ledger.finish();
}

/**
 * Makes the recorder of group governance. Events say what happened. The messages that ran explain it: those of transactions, of authorizations, of
 * executed proposals, of triggers and of governance proposals. The state at the height of the block explains what no message does.
 */
export function createRecorder(): Recorder {
  const groupIds: GroupIds = new LRUCache({ max: keptPolicies });
  return {
    block: async (block, before, now, recorded) =>
      noteGroups(await blockFacts(block, before, now, recorded, groupIds), groupIds),
    start: async (pin) => noteGroups(await startFacts(pin), groupIds),
    earlier: earlierFacts,
  };
}
