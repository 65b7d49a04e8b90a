import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { BlockResult, QueryResult, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { createApplication } from '../../../packages/devnet/src/app/application.ts';
import type { GenesisOptions } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import type { Genesis } from '../../../packages/devnet/src/app/runtime/genesisState.ts';
import { packAny, unpackAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { createAccounts, signTx, type TxFee, type WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { Query as AuthQuery } from '../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { TxMsgDataSchema } from '../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { sharedGenesis } from '../../support/genesis.ts';

export const chainId = 'testing';
/** 2026-11-21T02:48:00Z in nanoseconds. */
export const genesisTime = 1_795_229_280_000_000_000n;
export const second = 1_000_000_000n;

/** Parses RFC 3339 text to nanoseconds since 1970. */
export function nanoseconds(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('Z', '').split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

interface Method<I extends DescMessage, O extends DescMessage> {
  readonly parent: { readonly typeName: string };
  readonly name: string;
  readonly input: I;
  readonly output: O;
}

export function message<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  return packAny(schema, create(schema, init));
}

/** An application without a node, executed block by block. It shares the state of its genesis with others unless it gets a genesis. */
export function createChain(genesis: Genesis | GenesisOptions = { bare: true }) {
  const accounts = createAccounts(10);
  const app = createApplication('balances' in genesis ? { genesis } : sharedGenesis(genesis));
  app.initChain({ chainId, time: genesisTime });
  const state = { height: 0n, time: genesisTime, earliest: 1n };

  const block = (txs: readonly Uint8Array[] = [], after: bigint = second): BlockResult => {
    state.height += 1n;
    state.time += after;
    return app.finalizeBlock({ height: state.height, time: state.time, txs, proposer: new Uint8Array(20) });
  };
  const raw = (path: string, data: Uint8Array = new Uint8Array(), height = 0n, prove = false): QueryResult =>
    app.query({ path, data, height, prove, latestHeight: state.height, earliestHeight: state.earliest });
  const query = <I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageInitShape<I>,
    height = 0n,
  ): MessageShape<O> => {
    const path = `/${method.parent.typeName}/${method.name}`;
    const result = raw(path, toBinary(method.input, create(method.input, request)), height);
    if (result.code !== 0 || result.value === null) throw new Error(result.log);
    return fromBinary(method.output, result.value);
  };
  const account = (address: string) => {
    const { info } = query(AuthQuery.method.accountInfo, { address });
    if (info === undefined) throw new Error(`no account ${address}`);
    return info;
  };
  const sign = (
    signer: WalletAccount,
    messages: readonly Any[],
    options: { fee?: TxFee; sequenceAhead?: bigint } = {},
  ): Uint8Array => {
    const { accountNumber, sequence } = account(signer.address);
    const { fee } = options;
    return signTx({
      account: signer,
      accountNumber,
      sequence: sequence + (options.sequenceAhead ?? 0n),
      chainId,
      messages,
      ...(fee && { fee }),
    });
  };
  /** Executes a transaction in its own block. */
  const deliver = (signer: WalletAccount, messages: readonly Any[], after: bigint = second): TxResult => {
    const [result] = block([sign(signer, messages)], after).txResults;
    if (result === undefined) throw new Error('no result');
    return result;
  };
  /** Executes a transaction, which must succeed. Returns the response to its first message. */
  const run = <D extends DescMessage>(
    signer: WalletAccount,
    any: Any,
    response: D,
    after: bigint = second,
  ): MessageShape<D> => {
    const result = deliver(signer, [any], after);
    if (result.code !== 0 || result.data === null) throw new Error(`${any.typeUrl}: ${result.log}`);
    const [first] = fromBinary(TxMsgDataSchema, result.data).msgResponses;
    const unpacked = unpackAny(response, first);
    if (unpacked === undefined) throw new Error(`response is ${first?.typeUrl}`);
    return unpacked;
  };
  block();
  return { app, accounts, state, block, raw, query, account, sign, deliver, run };
}

export type Chain = ReturnType<typeof createChain>;
