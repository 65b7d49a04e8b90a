import { LRUCache } from 'lru-cache';
import type { Fact, OpenProposals, Recorder } from '../../../archive/facts.ts';
import { parseTime } from '../../../chain/base/time.ts';
import type { CommittedBlock } from '../../../chain/blocks/committedBlock.ts';
import { decodeTx } from '../../../chain/transactions/tx.ts';
import type { Pin } from '../../../reads/pin.ts';
import { fromAny } from '../../any/codec.ts';
import type { GroupEvent } from '../events.ts';
import { earlierFacts } from './earlier.ts';
import { createBlockGroups } from './groups.ts';
import { createLedger } from './ledger.ts';
import { proofRequests } from './proofRequests.ts';
import { hasGroups, recorderState, startFacts } from './state.ts';
import {
  type GroupTransaction,
  governanceMessage,
  placedEvents,
  recordUnexplained,
  walkBlockEvents,
  walkTransaction,
} from './walk.ts';

/** The policies whose groups are kept. The group of a policy never changes. */
const keptPolicies = 10_000;

/**
 * Makes the recorder of group governance. Events say what happened. The messages that ran explain it: those of transactions, of authorizations, of
 * executed proposals, of triggers and of governance proposals. The state at the height of the block explains what no message does.
 */
export function createRecorder(): Recorder {
  const groupIds = new LRUCache<string, bigint>({ max: keptPolicies });

  function noteGroups(facts: readonly Fact[]): readonly Fact[] {
    for (const fact of facts) {
      if (fact.kind === 'policy') groupIds.set(fact.address, fact.groupId);
      else if (fact.kind === 'proposal' && fact.groupId !== null) groupIds.set(fact.groupPolicyAddress, fact.groupId);
    }
    return facts;
  }

  async function blockFacts(block: CommittedBlock, before: Pin, now: Pin, recorded: OpenProposals): Promise<readonly Fact[]> {
    const { height } = block.header;
    const time = parseTime(block.header.time);
    const open = await recorded.open(height);
    const events: GroupEvent[] = [];
    const transactions: GroupTransaction[] = [];
    for (const { tx, hash, result } of block.transactions) {
      const placed = placedEvents(result.events);
      for (const { event } of placed) events.push(event);
      if (result.code !== 0 || placed.length === 0) continue;
      const messages = decodeTx(Buffer.from(tx, 'base64'))?.body.messages ?? [];
      transactions.push({ hash, messages: messages.map((message) => governanceMessage(fromAny(message))), events: placed });
    }
    for (const { event } of placedEvents(block.events)) events.push(event);
    if (events.length === 0 && open.every(({ votingPeriodEnd }) => votingPeriodEnd >= time)) return [];

    const stateBefore = recorderState(height > 1n ? before : null);
    const stateNow = recorderState(now);
    const groups = createBlockGroups(stateBefore, stateNow);
    const proposals = { open, proposal: recorded.proposal };
    const ledger = createLedger({ height, time, events }, groups, stateBefore, stateNow, proposals);
    await ledger.readAhead();
    // The policies of all submissions, and their groups if they are known, share batches.
    for (const message of transactions.flatMap(({ messages }) => messages)) {
      if (message?.$typeName !== 'cosmos.group.v1.MsgSubmitProposal') continue;
      const { groupPolicyAddress } = message;
      groups.readAheadForSubmission(groupPolicyAddress, groupIds.get(groupPolicyAddress));
    }

    for (const { event } of await walkBlockEvents(ledger, block.events, 'BEGIN', now)) await recordUnexplained(ledger, event);
    for (const transaction of transactions) await walkTransaction(ledger, transaction);
    ledger.enter(null);
    const last = await walkBlockEvents(ledger, block.events, 'END', now);
    await ledger.endVoting();
    for (const { event } of last) await recordUnexplained(ledger, event);
    return noteGroups(await ledger.finish());
  }

  return {
    block: blockFacts,
    start: async (pin) => ((await hasGroups(pin)) ? noteGroups(await startFacts(pin)) : []),
    absent: async (pin) => ((await hasGroups(pin)) ? [] : ['cosmos.group.v1']),
    earlier: earlierFacts,
    proofRequests,
  };
}
