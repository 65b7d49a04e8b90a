import { create } from '@bufbuild/protobuf';
import { createChainReader } from '../packages/devnet/src/app/actors/chainReader.ts';
import { createFixtures } from '../packages/devnet/src/app/fixtures/fixtures.ts';
import { createGenesis } from '../packages/devnet/src/app/genesis/genesis.ts';
import { packAny } from '../packages/devnet/src/app/runtime/keeper.ts';
import { signTx, type WalletAccount } from '../packages/devnet/src/app/runtime/wallet.ts';
import { createDevnet } from '../packages/devnet/src/devnet.ts';
import type { NodeCall } from '../packages/devnet/src/node/faults/faults.ts';
import { MsgVoteSchema } from '../src/proto/cosmos/group/v1/tx_pb.js';
import { ProposalStatus, VoteOption } from '../src/proto/cosmos/group/v1/types_pb.js';
import { cosignersOf } from '../test/support/cosigners.ts';
import { boardPolicy, withBoards } from './blocks/boardGenesis.ts';
import { tellParent } from './child.ts';

// A chain whose blocks the parent creates, with accounts for distinct operations. It counts calls by kind. With the argument
// `unlisted`, the application reports a version that the table of stores does not hold for, so Stele reads by height. With `validators`, 100 validators sign each block.
const [accounts, mode, boards] = process.argv.slice(2);
// Blocks are a second apart on the chain and can come faster here. The chain begins an hour ago, so that no block has a time in the future, which the light client
// refuses.
const cosigners = mode === 'validators' ? cosignersOf(99) : [];
const genesisTime = BigInt(Date.now() - 3_600_000) * 1_000_000n;
const devnet = await createDevnet({
  blockTime: 'manual',
  genesisTime,
  genesis: withBoards(createGenesis({ crowd: Number(accounts ?? 0) }), Number(boards ?? 0)),
  cosigners: () => cosigners,
});
const [node] = devnet.nodes;
if (node === undefined) throw new Error('no node');
if (mode === 'unlisted') {
  node.faults.forge = ({ method }, result) =>
    method === 'abci_info' ? { response: { ...Object(Object(result).response), version: 'v0.0.0' } } : result;
}

const kinds: Record<string, number> = {};

/** `proof`, `read` and the method or store, or the name of the call. */
function kindOf({ method, params }: NodeCall): string {
  if (method !== 'abci_query') return method;
  const { path, prove } = Object(params);
  return prove === true ? 'proof' : `read ${path}`;
}

node.onCall = (call) => {
  const kind = kindOf(call);
  kinds[kind] = (kinds[kind] ?? 0) + 1;
};

/** Votes that members of the wallet can still cast on the board, newest proposals first. */
function* possibleVotes(): Generator<{ readonly account: WalletAccount; readonly proposalId: bigint }> {
  const reader = createChainReader(devnet.application.query, devnet.height);
  const { board } = createFixtures(devnet.accounts).policies;
  for (const { id, status } of reader.proposals(board.address).toReversed()) {
    if (status !== ProposalStatus.SUBMITTED) continue;
    const voters = new Set(reader.votes(id).map(({ voter }) => voter));
    for (const account of devnet.accounts) if (!voters.has(account.address)) yield { account, proposalId: id };
  }
}

/** A vote on the proposal of a board that the genesis was given. */
function voteOn(board: number): { readonly account: WalletAccount; readonly proposalId: bigint } {
  const reader = createChainReader(devnet.application.query, devnet.height);
  const [proposal] = reader.proposals(boardPolicy(board));
  if (proposal === undefined) throw new Error(`no board ${board}`);
  const voters = new Set(reader.votes(proposal.id).map(({ voter }) => voter));
  const account = devnet.accounts.find(({ address }) => !voters.has(address));
  if (account === undefined) throw new Error('every member has voted');
  return { account, proposalId: proposal.id };
}

/** Submits a vote. It abstains, so that no proposal is decided. */
function vote(board?: number): void {
  const [next] = board === undefined ? possibleVotes() : [voteOn(board)];
  if (next === undefined) throw new Error('every member has voted');
  const { account, proposalId } = next;
  const message = create(MsgVoteSchema, { proposalId, voter: account.address, option: VoteOption.ABSTAIN });
  const signer = createChainReader(devnet.application.query, devnet.height).account(account.address);
  const tx = signTx({ account, ...signer, chainId: devnet.chainId, messages: [packAny(MsgVoteSchema, message)] });
  const { code, log } = node?.mempool.check(tx) ?? { code: 1, log: 'no node' };
  if (code !== 0) throw new Error(log);
}

tellParent(node.url, () => ({ calls: node.counters.calls, batches: node.counters.batches, kinds: { ...kinds } }), {
  /** Creates a block, with a vote if the argument is true, or on the board of this number. Returns its height. */
  async commit(hasVote) {
    if (hasVote === true) vote();
    if (typeof hasVote === 'number') vote(hasVote);
    return Number(await devnet.commit({ elapse: 1000 }));
  },
});
