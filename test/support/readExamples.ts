import type { Any } from '@bufbuild/protobuf/wkt';
import { asObject, bigintAt } from '../../src/chain/decode.ts';
import type { JsonValue } from '../../src/chain/json.ts';
import type { WalletAccount } from '../../src/devnet/app/wallet.ts';
import { scopeAddresses } from '../../src/devnet/app/world/scopes.ts';
import type { Example } from '../../src/http/openapi/document.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain } from './chain.ts';
import { startStack } from './stack.ts';

type Asked = Readonly<Record<string, string>>;

/** Time of the chain's beginning, ns: with it the chain is the same every time. */
const genesisTime = 1_790_000_000n * 1_000_000_000n;

/** The proposals of this policy are there from the first block, as all that follows. */
const policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';
const proposalId = '6';
const voter = 'tp1pr49ltmgphvzv2x8vwwd2pp5pm284wzgzchkk4';
const page = { 'pagination.limit': '2' };

/** What REST is asked, by path; the same in both dialects. */
const restAsked: Readonly<Record<string, Asked>> = {
  '/cosmos/group/v1/proposal/{proposal_id}': { proposal_id: proposalId },
  '/cosmos/group/v1/proposals/{proposal_id}/tally': { proposal_id: proposalId },
  '/cosmos/group/v1/proposals_by_group_policy/{address}': { address: policy, ...page },
  '/cosmos/group/v1/vote_by_proposal_voter/{proposal_id}/{voter}': { proposal_id: proposalId, voter },
  '/cosmos/group/v1/votes_by_proposal/{proposal_id}': { proposal_id: proposalId, ...page },
  '/cosmos/group/v1/votes_by_voter/{voter}': { voter, ...page },
  '/cosmos/group/v1/groups': page,
  '/cosmos/group/v1/group_policy_info/{address}': { address: policy },
  '/provenance/attribute/v1/attribute/{account}/{name}': { account: voter, name: 'kyc.pb' },
  '/provenance/attribute/v1/attribute/{account}/scan/{suffix}': { account: voter, suffix: 'kyc.pb' },
  '/cosmos/bank/v1beta1/balances/{address}': { address: voter, ...page },
  '/cosmos/bank/v1beta1/supply/by_denom': { denom: 'nhash' },
  '/cosmos/bank/v1beta1/denoms_metadata/{denom}': { denom: 'nhash' },
  '/cosmos/auth/v1beta1/accounts/{address}': { address: voter },
  '/provenance/marker/v1/detail/{id}': { id: 'nhash' },
};

/** What the aggregates are asked, by path. */
const aggregatesAsked: Readonly<Record<string, Asked>> = {
  '/v1/accounts/{address}': { address: voter },
  '/v1/balances/{address}': { address: voter, 'pagination.pageSize': '2' },
  '/v1/metadata/{denom}': { denom: 'nhash' },
  '/v1/scopes/{scopeId}': { scopeId: scopeAddresses[0] ?? '' },
  '/v1/transfers': { denom: 'nhash', 'pagination.pageSize': '2' },
  '/v1/transfers/{address}': { address: voter, 'pagination.pageSize': '2' },
  '/v1/netAssetValues/{asset}': { asset: scopeAddresses[0] ?? '' },
  '/v1/holders/{denom}': { denom: 'nhash', 'pagination.pageSize': '2' },
};

/** The methods that every node has, with what they are asked; those of transactions are asked with one of their own each. */
const nodeAsked: Readonly<Record<string, Asked>> = {
  health: {},
  status: {},
  net_info: {},
  blockchain: { minHeight: '1', maxHeight: '2' },
  genesis_chunked: { chunk: '0' },
  block: { height: '2' },
  block_results: { height: '2' },
  commit: { height: '2' },
  header: { height: '2' },
  tx_search: { query: '"tx.height>0"', prove: 'false', page: '1', per_page: '1', order_by: '"asc"' },
  block_search: { query: '"block.height=2"', page: '1', per_page: '1', order_by: '"asc"' },
  validators: { height: '2' },
  dump_consensus_state: {},
  consensus_state: {},
  consensus_params: { height: '2' },
  unconfirmed_txs: { limit: '2' },
  num_unconfirmed_txs: {},
  abci_query: { path: '"/cosmos.group.v1.Query/Proposal"', data: '0x0806', height: '1', prove: 'false' },
  abci_info: {},
};

const sending = ['check_tx', 'broadcast_tx_sync', 'broadcast_tx_async', 'broadcast_tx_commit'];

/** A request by its path and arguments. */
function urlOf(base: string, path: string, asked: Asked): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(asked[name] ?? ''));
  const inQuery = Object.entries(asked).filter(([name]) => !path.includes(`{${name}}`));
  const query = inQuery.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${base}${filled}${query === '' ? '' : `?${query}`}`;
}

/** What the server answers over the development chain, for the descriptions: the same every time. Throws where there is no answer. */
export async function readExamples(): Promise<{ node: Record<string, Example>; application: Record<string, Example> }> {
  const chain = await startChain({ genesisTime });
  const stack = await startStack([chain.node.url]);
  const { url } = stack.server;

  const ask = async (path: string, asked: Asked, headers: Asked = {}): Promise<Example> => {
    const response = await fetch(urlOf(url, path, asked), { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    // Of the port that the chain has this time nothing is to be left.
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

  /** A broadcast that waits for its block, which is made as soon as the transaction is there. */
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
    const byBlock = { hash: `0x${blockHash}` };
    const byHash = { block_by_hash: byBlock, header_by_hash: byBlock, tx: { hash: `0x${hash}`, prove: 'true' } };

    const node: Record<string, Example> = {};
    for (const base of ['', '/comet']) {
      for (const [method, asked] of Object.entries({ ...nodeAsked, ...byHash })) {
        node[`${base}/${method}`] = await ask(`${base}/${method}`, asked);
      }
    }
    const application: Record<string, Example> = {};
    const pinned = { 'x-cosmos-block-height': '1' };
    for (const [path, asked] of Object.entries(aggregatesAsked)) {
      application[path] = await ask(path, asked, path.startsWith('/v1/transfers') ? {} : pinned);
    }
    for (const base of ['', '/rest']) {
      for (const [path, asked] of Object.entries(restAsked)) {
        application[`${base}${path}`] = await ask(`${base}${path}`, asked, pinned);
      }
      // Of no height.
      const txs = `${base}/cosmos/tx/v1beta1/txs`;
      application[`${txs}/{hash}`] = await ask(`${txs}/{hash}`, { hash });
      application[txs] = await ask(txs, { query: 'tx.height>0', limit: '1' });
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
