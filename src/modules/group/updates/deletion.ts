import { isChainError } from '../../../chain/base/errors.ts';
import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import type { EventCondition } from '../../../chain/events/eventQuery.ts';
import type { Pin } from '../../../reads/pin.ts';
import { createBlockLoaders } from '../../blocks/loaders.ts';
import { blockSearch } from '../../blocks/search.ts';
import { searchList } from '../../events/search.ts';
import { transactionSearch } from '../../transactions/search.ts';
import { createGroupLoaders } from '../loaders.ts';
import { groupEvents } from './blockEvents.ts';
import { advanceProposals, type ProposalUpdate } from './proposalUpdates.ts';
import { nothingWatched, readWatched } from './watched.ts';

/** Key of the counter of proposals in the store of the group module: the prefix of its table's sequence (0x31), and 0x01. */
const counterKey = Uint8Array.of(0x31, 0x01);

/**
 * Whether the chain has deleted the proposal at the height of the pin: it is absent, but its id was given out. Ids are given out in order and never
 * again. false where the store has no such counter.
 */
export async function isDeleted(pin: Pin, id: bigint): Promise<boolean> {
  if ((await pin.loaders(createGroupLoaders).proposal.load(id)) !== null) return false;
  const { value } = await pin.state.store('group', { key: counterKey });
  return value?.length === 8 && Buffer.from(value).readBigUInt64BE() >= id;
}

/** The block of memory, newest first from the pin's height on, that deleted the proposal. */
function rememberedDeletion({ client, height }: Pin, id: bigint): bigint | undefined {
  for (let at = height; ; at -= 1n) {
    const block = client.blocks.at(at);
    if (block === undefined) return undefined;
    if (groupEvents(block).pruned.has(id)) return at;
  }
}

/** The height that deleted the proposal, from the node's index of events; undefined without an index. */
async function searchedDeletion({ client, height, signal }: Pin, id: bigint): Promise<bigint | undefined> {
  const argument = { type: 'string', text: JSON.stringify(id.toString()) } as const;
  const tag = 'cosmos.group.v1.EventProposalPruned.proposal_id';
  const conditions: readonly EventCondition[] = [{ tag, operator: '=', argument }];
  try {
    const request = { offset: 0n, limit: 1 };
    const [byTransactions, byBlocks] = await Promise.all([
      searchList(client, transactionSearch, conditions, height, true, signal).read(request),
      searchList(client, blockSearch, conditions, height, true, signal).read(request),
    ]);
    return byTransactions.items[0]?.height ?? byBlocks.items[0]?.header.height;
  } catch (error) {
    if (isChainError(error, 'INDEX_UNAVAILABLE')) return undefined;
    throw error;
  }
}

async function blockOf({ client, signal }: Pin, height: bigint): Promise<CommittedBlock | undefined> {
  const blocks = client.blocks.from(height - 1n, { signal });
  try {
    const { value } = await blocks.next();
    return value;
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return undefined;
    throw error;
  }
}

/** What the block that deleted the proposal did to it. Where the state before that block is pruned, from the block's events alone. */
async function updateIn(pin: Pin, id: bigint, block: CommittedBlock): Promise<ProposalUpdate | undefined> {
  const { height } = block.header;
  const target = { of: 'id', id } as const;
  const [before, now] = [pin.at(height - 1n), pin.at(height)];
  const advance = async (): Promise<ProposalUpdate | undefined> => {
    const { updates } = await advanceProposals(target, await readWatched(before, target), block, before, now);
    return updates[0];
  };
  if (height > 1n) {
    try {
      return await advance();
    } catch (error) {
      if (!isChainError(error, 'HEIGHT_PRUNED')) throw error;
    }
  }
  const { updates } = await advanceProposals(target, nothingWatched, block, null, now);
  return updates[0];
}

/**
 * The last update of a proposal that the chain has deleted. Where neither memory nor the node's index has the block that deleted it, the update
 * says no more than that, at the height of the pin.
 */
export async function deletionOf(pin: Pin, id: bigint): Promise<ProposalUpdate> {
  const height = rememberedDeletion(pin, id) ?? (await searchedDeletion(pin, id));
  const block = height === undefined ? undefined : await blockOf(pin, height);
  const update = block && (await updateIn(pin, id, block));
  if (update !== undefined) return update;
  const { header } = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return {
    proposalId: id,
    height: pin.height,
    time: header.time,
    reasons: ['PRUNED'],
    status: 'PROPOSAL_STATUS_UNSPECIFIED',
    executorResult: 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED',
    proposal: null,
    lastTally: null,
  };
}
