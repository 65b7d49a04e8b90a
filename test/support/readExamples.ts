import type { Any } from '@bufbuild/protobuf/wkt';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { scopeAddresses } from '../../packages/devnet/src/app/world/scopes.ts';
import { asObject, bigintAt, type JsonValue } from '../../src/chain/wire/json.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  aggregateRequests,
  nodeRequests,
  type Parameters,
  restRequests,
  type Samples,
  targetOf,
} from '../../src/surfaces/openapi/chainView.ts';
import type { Example } from '../../src/surfaces/openapi/document.ts';
import { any, startChain } from './chain.ts';
import { startStack } from './stack.ts';

/** The genesis time in ns. It is fixed, so that the chain is the same every time. */
const genesisTime = 1_790_000_000n * 1_000_000_000n;

/** A policy with proposals. It and the other objects below exist from the first block. */
const policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';
const voter = 'tp1pr49ltmgphvzv2x8vwwd2pp5pm284wzgzchkk4';

const sending = ['check_tx', 'broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit'];

/**
 * Reads the examples of the descriptions from the server over the development chain. They are the same every time. Throws if a
 * request fails.
 */
export async function readExamples(): Promise<{ node: Record<string, Example>; application: Record<string, Example> }> {
  const chain = await startChain({ genesisTime });
  const stack = await startStack([chain.node.url], { archive: { records: true } });
  const { url } = stack.server;

  const ask = async (path: string, asked: Parameters, headers: Parameters = {}): Promise<Example> => {
    const target = targetOf(path, asked);
    const response = await fetch(`${url}${target.path}${target.query && `?${target.query}`}`, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    // The port of the chain differs each time.
    const body = JSON.parse(text.replaceAll(new URL(chain.node.url).host, '127.0.0.1:26657')) as JsonValue;
    return { parameters: { ...asked, ...headers }, body };
  };

  const senders = [...chain.accounts];
  const payment = (): [WalletAccount, Any] => {
    const from = senders.pop()!;
    const amount = [{ denom: 'nhash', amount: '1' }];
    return [from, any(MsgSendSchema, { fromAddress: from.address, toAddress: chain.accounts[0]!.address, amount })];
  };

  async function waiting(): Promise<bigint> {
    return stack.client.call('num_unconfirmed_txs', {}, { decode: (result) => bigintAt(asObject(result, 'mempool'), 'total') });
  }

  /** Waits for a broadcast that returns with its block. Commits the block when the transaction is in the mempool. */
  async function committed(answer: Promise<Example>): Promise<Example> {
    const before = await waiting();
    while ((await waiting()) === before);
    await chain.devnet.commit();
    return answer;
  }

  try {
    const hash = await chain.submit(...payment());
    await chain.devnet.commit();
    await chain.devnet.commit();
    await stack.ask('{ head { height } }', {}, { 'x-min-height': '3' });
    const blockHash = (await stack.client.block(2n)).blockId.hash;
    const samples: Samples = {
      height: '2',
      blockHash,
      // A committed transaction fails the check, so each example of sending has its own transaction.
      transaction: { hash, height: '2', hex: '' },
      policy,
      proposalId: '6',
      voter,
      govProposalId: '6',
      govVoter: chain.accounts[0]!.address,
      account: voter,
      attribute: { account: voter, name: 'kyc.pb' },
      denom: 'nhash',
      shownDenom: 'nhash',
      marker: 'nhash',
      scopeId: scopeAddresses[0],
    };
    const node: Record<string, Example> = {};
    for (const [path, asked] of Object.entries(nodeRequests(samples))) {
      if (!path.endsWith('/check_tx')) node[path] = await ask(path, asked);
    }
    const application: Record<string, Example> = {};
    const pinned = { 'x-cosmos-block-height': '1' };
    for (const [path, asked] of Object.entries({ ...aggregateRequests(samples), ...restRequests(samples) })) {
      // Transactions and histories are not read at a height. A later server may not have recorded the first height.
      const isOfIndex = path.startsWith('/v1/transfers') || path.includes('/cosmos/tx/');
      const isPinned = !isOfIndex && !/^\/v1\/(proposals|govProposals)|\/(votes|govVotes)$/.test(path);
      application[path] = await ask(path, asked, isPinned ? pinned : {});
    }
    for (const base of ['', '/comet']) {
      for (const method of sending) {
        const tx = `0x${Buffer.from(chain.sign(...single(payment()))).toString('hex')}`;
        const answer = ask(`${base}/${method}`, { tx });
        node[`${base}/${method}`] = method === 'broadcast_tx_commit' ? await committed(answer) : await answer;
      }
    }
    return { node, application };
  } finally {
    await stack.close();
    await chain.devnet.close();
  }
}

const single = <T>([account, message]: [WalletAccount, T]): [WalletAccount, readonly T[]] => [account, [message]];
