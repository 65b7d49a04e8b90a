import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';
import { type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

/** A decoded response of the node RPC. */
export interface RpcAnswer extends WireAnswer {
  readonly json: JsonObject & { readonly result?: JsonObject };
}

/** A server with its node RPC, over a chain whose blocks the test commits. */
export interface RpcChain {
  readonly chain: TestChain;
  readonly stack: Stack;
  readonly url: string;
  /** Calls a method by POST at a root: '/' or '/comet'. The id is 1. */
  call(path: string, method: string, params?: unknown, headers?: SentHeaders): Promise<RpcAnswer>;
  /** Sends text by POST. */
  post(path: string, body: string, headers?: SentHeaders): Promise<RpcAnswer>;
  /** Calls a URI. */
  get(target: string, headers?: SentHeaders): Promise<RpcAnswer>;
  /** Commits a block and waits until the server has it. */
  commit(): Promise<bigint>;
  /** Commits a block as soon as the node has a transaction. */
  commitNext(): Promise<bigint>;
  close(): Promise<void>;
}

function read(answer: WireAnswer): RpcAnswer {
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true && answer.body !== '';
  return { ...answer, json: isJson ? JSON.parse(answer.body) : {} };
}

/** Starts the server and waits until it has the first block. */
export async function startRpcChain(
  options: StackOptions = {},
  chainOptions: Parameters<typeof startChain>[0] = {},
): Promise<RpcChain> {
  const chain = await startChain({ bare: true, ...chainOptions });
  const stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url),
    options,
  );
  const { url } = stack.server;
  async function commit(): Promise<bigint> {
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    return height;
  }
  const post: RpcChain['post'] = async (path, body, headers = {}) =>
    read(await send(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }));
  await stack.client.head.ready();
  await commit();
  return {
    chain,
    stack,
    url,
    commit,
    post,
    call: (path, method, params = {}, headers) =>
      post(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers),
    get: async (target, headers = {}) => read(await send(`${url}${target}`, { headers })),
    async commitNext() {
      const { mempool } = chain.node;
      while (mempool.txs.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return commit();
    },
    async close() {
      await stack.close();
      await chain.devnet.close();
    },
  };
}

/** A signed transfer from an account to the last account, not sent. The options are those of signing. */
export function transfer(
  chain: TestChain,
  amount: number,
  from = 0,
  options: Parameters<TestChain['sign']>[2] = {},
): Uint8Array {
  const [sender, recipient] = [chain.accounts[from]!, chain.accounts[9]!];
  const amounts = [{ denom: 'nhash', amount: `${amount}` }];
  const message = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount: amounts });
  return chain.sign(sender, [message], options);
}

/** The hash of a transaction in upper-case hex. */
export function hashOf(tx: Uint8Array): string {
  return createHash('sha256').update(tx).digest('hex').toUpperCase();
}

/** Encodes bytes for JSON-RPC. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Encodes bytes for a URI. */
export function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
