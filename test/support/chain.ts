import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import type { Application } from '../../packages/devnet/src/abci/abci.ts';
import { type ApplicationOptions, createApplication } from '../../packages/devnet/src/app/application.ts';
import type { GenesisOptions } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { createAccounts, signTx, type TxToSign, type WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { createDevnet, type Devnet, type DevnetOptions } from '../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';
import { http } from '../../src/chain/transports/http.ts';
import { arrayAt, asObject, type JsonObject, textAt } from '../../src/chain/wire/json.ts';
import { BaseAccountSchema } from '../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { sharedGenesis } from './genesis.ts';

/** A chain whose blocks are created by the test. */
export interface TestChain {
  readonly devnet: Devnet;
  readonly node: DevnetNode;
  readonly accounts: readonly WalletAccount[];
  /** Signs a transaction with the sequence after the submitted ones of the account. Does not send it. */
  sign(account: WalletAccount, messages: readonly Any[], options?: Partial<TxToSign>): Uint8Array;
  /**
   * Signs a transaction and broadcasts it to the node. Returns its hash. Throws an error with the log of CheckTx if it is
   * rejected.
   */
  submit(account: WalletAccount, ...messages: readonly Any[]): Promise<string>;
  /** Submits a transaction and commits it in its own block. Returns its events by type. Throws if it fails. */
  run(account: WalletAccount, ...messages: readonly Any[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
}

/** Packs a message into an `Any`. */
export function any<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  const packed = anyPack(schema, create(schema, init));
  return { ...packed, typeUrl: `/${schema.typeName}` };
}

function eventOf(event: JsonObject): [string, Record<string, string>] {
  const attributes = arrayAt(event, 'attributes').map((json) => asObject(json, 'attribute'));
  return [textAt(event, 'type'), Object.fromEntries(attributes.map((a) => [textAt(a, 'key'), textAt(a, 'value')]))];
}

/**
 * Chains that start within this time, in nanoseconds, share a genesis state, because making one takes 0.1 s. So its times are up to this much older. The
 * first change that follows from them comes 150 s after the genesis.
 */
const shared = 60_000_000_000n;

/** Starts a chain that creates blocks only when the test requests them. */
export async function startChain({
  modules,
  ...options
}: Partial<DevnetOptions> & GenesisOptions & Pick<ApplicationOptions, 'modules'> = {}): Promise<TestChain> {
  const { without = [] } = options;
  const own = createApplication({ ...sharedGenesis(options), without, ...(modules && { modules }) });
  const application: Application = {
    ...own,
    initChain(input) {
      const { time } = input;
      return own.initChain({ ...input, time: options.genesisTime === undefined ? time - (time % shared) : time });
    },
  };
  const devnet = await createDevnet({ blockTime: 'manual', application, ...options });
  const [node] = devnet.nodes;
  if (node === undefined) throw new Error('no node');
  const accounts = createAccounts();
  const pending = new Map<string, bigint>();

  function accountOf({ address }: WalletAccount): { accountNumber: bigint; sequence: bigint } {
    const data = toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address }));
    const height = devnet.height;
    const answer = application.query({
      path: '/cosmos.auth.v1beta1.Query/Account',
      data,
      height,
      prove: false,
      latestHeight: height,
      earliestHeight: height,
    });
    const { account } = fromBinary(QueryAccountResponseSchema, answer.value ?? new Uint8Array());
    return fromBinary(BaseAccountSchema, account?.value ?? new Uint8Array());
  }

  const transport = http(node.url);
  const rpc = (method: string, params: JsonObject): Promise<JsonObject> =>
    transport.call(method, params, { decode: (result) => asObject(result, method) });

  function next(account: WalletAccount): { accountNumber: bigint; sequence: bigint } {
    const { accountNumber, sequence } = accountOf(account);
    // Transactions in the mempool use sequences that the state does not include yet.
    const waiting = pending.get(account.address) ?? 0n;
    return { accountNumber, sequence: waiting > sequence ? waiting : sequence };
  }

  const sign: TestChain['sign'] = (account, messages, options) =>
    signTx({ account, ...next(account), chainId: devnet.chainId, messages, ...options });

  async function submit(account: WalletAccount, ...messages: readonly Any[]): Promise<string> {
    const { sequence } = next(account);
    const tx = sign(account, messages);
    const result = await rpc('broadcast_tx_sync', { tx: Buffer.from(tx).toString('base64') });
    if (result.code !== 0) throw new Error(textAt(result, 'log'));
    pending.set(account.address, sequence + 1n);
    return textAt(result, 'hash');
  }

  return {
    devnet,
    node,
    accounts,
    sign,
    submit,
    async run(account, ...messages) {
      await submit(account, ...messages);
      const height = await devnet.commit();
      const results = await rpc('block_results', { height: height.toString() });
      const result = asObject(arrayAt(results, 'txs_results')[0], 'the result');
      if (result.code !== 0) throw new Error(textAt(result, 'log'));
      return new Map(arrayAt(result, 'events').map((json) => eventOf(asObject(json, 'event'))));
    },
  };
}
