import { create, type DescMessage, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import type { Genesis } from '../../../packages/devnet/src/app/runtime/genesisState.ts';
import { packAny, unpackAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { PubKeySchema } from '../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { MarketSchema } from '../../../src/proto/provenance/exchange/v1/market_pb.js';
import { Query as ExchangeQuery, QueryGetMarketResponseSchema } from '../../../src/proto/provenance/exchange/v1/query_pb.js';
import { Query as MetadataQuery } from '../../../src/proto/provenance/metadata/v1/query_pb.js';
import { recording } from '../../recordings/recording.ts';
import { type Chain, chainId, createChain } from './harness.ts';

interface Event {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}
interface RecordedTransaction {
  readonly name: string;
  readonly height: string;
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly tx: string;
  readonly events: readonly Event[];
}
interface RecordedCall {
  readonly method: string;
  readonly params: { readonly path: string; readonly data: string; readonly height: string };
  readonly result: { readonly response: { readonly code: number; readonly log: string; readonly value: string } };
}

interface Recording {
  readonly transactions: readonly RecordedTransaction[];
  readonly calls: readonly RecordedCall[];
}

/** The accounts of the scenario, in whose place accounts of the wallet sign. */
const recordedAccounts = [
  'tp1uxa8284fu97znk826kxmd3l829nlpmhse95hmv',
  'tp12wuprwv2auzrmzyu7xpn7dfmje7vpjvy50eqjh',
  'tp137eh59a824l7dvaruy3zknpcvcpttxt8gectxv',
];

/** Replaces the accounts of the scenario by those of the wallet, or back. All addresses have one length, so bytes stay valid. */
function withAccounts({ accounts }: Chain, text: string, back = false): string {
  return recordedAccounts.reduce((result, recorded, index) => {
    const own = accounts[index]!.address;
    return back ? result.replaceAll(own, recorded) : result.replaceAll(recorded, own);
  }, text);
}

const bytesWithAccounts = (chain: Chain, bytes: Uint8Array): Uint8Array =>
  Buffer.from(withAccounts(chain, Buffer.from(bytes).toString('latin1')), 'latin1');

/** Signs a transaction by all of these accounts. */
function sign(chain: Chain, messages: readonly Any[], signers: readonly WalletAccount[]): Uint8Array {
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [...messages] }));
  const signerInfos = signers.map(({ address, publicKey }) => ({
    publicKey: packAny(PubKeySchema, create(PubKeySchema, { key: publicKey })),
    modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } },
    sequence: chain.account(address).sequence,
  }));
  const fee = { amount: [{ denom: 'nhash', amount: '10000000000' }], gasLimit: 2_000_000n };
  const authInfoBytes = toBinary(AuthInfoSchema, create(AuthInfoSchema, { signerInfos, fee }));
  const signatures = signers.map(({ address, privateKey }) => {
    const { accountNumber } = chain.account(address);
    const document = toBinary(SignDocSchema, create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber }));
    return secp256k1.sign(document, privateKey, { prehash: true, lowS: true });
  });
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures }));
}

/** Executes the messages of a transaction of the scenario in a block, signed by the accounts in place of its signers. */
function execute(chain: Chain, { tx }: RecordedTransaction) {
  const { bodyBytes, authInfoBytes } = fromBinary(TxRawSchema, Buffer.from(tx, 'base64'));
  const messages = fromBinary(TxBodySchema, bodyBytes).messages.map((any) => ({
    ...any,
    value: bytesWithAccounts(chain, any.value),
  }));
  const signers = fromBinary(AuthInfoSchema, authInfoBytes).signerInfos.map(({ publicKey }) => {
    const { key } = unpackAny(PubKeySchema, publicKey)!;
    return chain.accounts[recordedAccounts.indexOf(encodeAddress(ripemd160(sha256(key))))]!;
  });
  return chain.block([sign(chain, messages, signers)]).txResults[0]!;
}

/** The events of the modules, with the accounts of the scenario. */
function eventsOf(chain: Chain, events: readonly Event[], withTransfers: boolean) {
  return events
    .filter(
      ({ type, attributes }) =>
        type.startsWith('provenance.') ||
        (withTransfers && type === 'transfer' && attributes.some(({ key }) => key === 'msg_index')),
    )
    .filter(({ type }) => !type.startsWith('provenance.flatfees') && !type.startsWith('provenance.msgfees'))
    .map(({ type, attributes }) => [
      type,
      attributes.map(({ key, value }) => `${key}=${withAccounts(chain, value, true)}`).sort(),
    ]);
}

/** A response as JSON, with the accounts of the scenario and without the times of blocks. */
function comparable(chain: Chain, schema: DescMessage, bytes: Uint8Array): unknown {
  const json = withAccounts(chain, JSON.stringify(toJson(schema, fromBinary(schema, bytes))), true);
  return JSON.parse(json, (key, value) =>
    /^(created|updated)Date$/.test(key) && !value.startsWith('0001') ? 'a time' : value,
  );
}

/** What the devnet does otherwise than the recorded node: messages that it lacks, and transactions that it accepts. */
const differences: Readonly<Record<string, string>> = {
  'remove the contract specification of appraisal from the scope specification': 'no such message',
  'fill a bid': 'no such message',
  'bid with too small fees': 'fees at the settlement are not checked',
};

/** The genesis of the exchange: the markets that the recorded node returned, and fruit. */
function exchangeGenesis(calls: readonly RecordedCall[]): Genesis {
  const { accounts } = createChain();
  const markets = ['1', '2'].map((id) => {
    const call = calls.find(({ params }) => params.path?.endsWith('/GetMarket') && params.data === `080${id}`)!;
    const { market } = fromBinary(QueryGetMarketResponseSchema, Buffer.from(call.result.response.value, 'base64'));
    return create(MarketSchema, market!);
  });
  const coins = [
    { denom: 'apple', amount: 1_000_000n },
    { denom: 'nhash', amount: 10n ** 18n },
    { denom: 'peach', amount: 5_000_000n },
  ];
  return {
    balances: accounts.slice(0, 3).map(({ address }) => ({ address, coins })),
    ...{ modules: ['fee_collector'], exchangeMarkets: markets, maxExecutionSeconds: 1, history: [] },
  };
}

describe.each([
  ['records', MetadataQuery, 8],
  ['exchange', ExchangeQuery, 20],
] as const)('the transactions of a real node: %s', (name, Query, least) => {
  const { transactions, calls } = recording<Recording>(name);
  // Transfers of the fees of markets are part of what is compared.
  const withTransfers = name === 'exchange';
  const chain = name === 'records' ? createChain() : createChain(exchangeGenesis(calls));
  /** The height here by the recorded height of each transaction. */
  const heights = new Map<bigint, bigint>();
  const results = new Map<string, { readonly own: unknown; readonly recorded: unknown }>();

  beforeAll(() => {
    for (const each of transactions) {
      if (differences[each.name]) continue;
      const { code, codespace, log, events } = execute(chain, each);
      heights.set(BigInt(each.height), chain.state.height);
      results.set(each.name, {
        own: { code, codespace, log: withAccounts(chain, log, true), events: eventsOf(chain, events, withTransfers) },
        recorded: {
          code: each.code,
          codespace: each.codespace,
          log: each.log,
          events: eventsOf(chain, each.events, withTransfers),
        },
      });
    }
  });

  it('have the recorded codes, logs and events', () => {
    expect(results.size).toBe(transactions.filter((each) => !differences[each.name]).length);
    for (const [each, { own, recorded }] of results) expect(own, each).toEqual(recorded);
  });

  it('leave the state that the node returned at each height', () => {
    const methods = new Map(Object.values(Query.method).map((method) => [`/${Query.typeName}/${method.name}`, method]));
    const end = BigInt(transactions.findLast(({ code }) => code === 0)!.height);
    let compared = 0;
    for (const { params, result } of calls) {
      const method = methods.get(params.path ?? '');
      const height = BigInt(params.height ?? '0');
      if (method === undefined || (name === 'records' && height >= end)) continue;
      const own = heights.get([...heights.keys()].filter((recorded) => recorded <= height).at(-1)!)!;
      const request = bytesWithAccounts(chain, Buffer.from(params.data, 'hex'));
      const { code, log, value } = chain.raw(params.path, request, own);
      const { response } = result;
      const what = `${params.path} ${params.data} at ${height}`;
      expect([code, withAccounts(chain, log, true)], what).toEqual([response.code, response.log]);
      if (code === 0) {
        const recorded = Buffer.from(response.value ?? '', 'base64');
        expect(comparable(chain, method.output, value!), what).toEqual(comparable(chain, method.output, recorded));
      }
      compared += 1;
    }
    expect(compared).toBeGreaterThan(least);
  });
});
