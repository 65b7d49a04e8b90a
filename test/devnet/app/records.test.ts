import { create, createRegistry, type DescMessage, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { packAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { PubKeySchema } from '../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/provenance/metadata/v1/query_pb.js';
import { file_provenance_metadata_v1_tx } from '../../../src/proto/provenance/metadata/v1/tx_pb.js';
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

const { transactions, calls } = recording<{
  readonly transactions: readonly RecordedTransaction[];
  readonly calls: readonly RecordedCall[];
}>('records');

/** Messages of the scenario that the devnet does not have. */
const absentMessages = ['/provenance.metadata.v1.MsgDeleteContractSpecFromScopeSpecRequest'];

/** The accounts of the scenario, in whose place accounts of the wallet sign. */
const recordedAccounts = [
  'tp1uxa8284fu97znk826kxmd3l829nlpmhse95hmv',
  'tp12wuprwv2auzrmzyu7xpn7dfmje7vpjvy50eqjh',
  'tp137eh59a824l7dvaruy3zknpcvcpttxt8gectxv',
];
const registry = createRegistry(file_provenance_metadata_v1_tx);

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

/** Executes the messages of a transaction of the scenario in a block. */
function execute(chain: Chain, { tx }: RecordedTransaction) {
  const { bodyBytes } = fromBinary(TxRawSchema, Buffer.from(tx, 'base64'));
  const messages = fromBinary(TxBodySchema, bodyBytes).messages.map((any) => ({
    ...any,
    value: bytesWithAccounts(chain, any.value),
  }));
  const signers = messages.flatMap(({ typeUrl, value }) => {
    const message = fromBinary(registry.getMessage(typeUrl.slice(1))!, value) as unknown as {
      readonly signers: readonly string[];
    };
    return message.signers;
  });
  const accounts = [...new Set(signers)].map((address) => chain.accounts.find((each) => each.address === address)!);
  return chain.block([sign(chain, messages, accounts)]).txResults[0]!;
}

/** The events of the module, with the accounts of the scenario. */
function eventsOf(chain: Chain, events: readonly Event[]) {
  return events
    .filter(({ type }) => type.startsWith('provenance.metadata'))
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

describe('the transactions of a real node with sessions, records and their specifications', () => {
  const chain = createChain();
  /** The height here by the recorded height of each transaction. */
  const heights = new Map<bigint, bigint>();
  const results = new Map<string, { readonly own: unknown; readonly recorded: unknown }>();

  beforeAll(() => {
    for (const each of transactions) {
      if (absentMessages.some((type) => Buffer.from(each.tx, 'base64').includes(type))) continue;
      const { code, codespace, log, events } = execute(chain, each);
      heights.set(BigInt(each.height), chain.state.height);
      results.set(each.name, {
        own: { code, codespace, log: withAccounts(chain, log, true), events: eventsOf(chain, events) },
        recorded: { code: each.code, codespace: each.codespace, log: each.log, events: eventsOf(chain, each.events) },
      });
    }
  });

  it('have the recorded codes, logs and events', () => {
    expect(results.size).toBe(transactions.length - 1);
    for (const [name, { own, recorded }] of results) expect(own, name).toEqual(recorded);
  });

  it('leave the state that the node returned at each height', () => {
    const methods = new Map(Object.values(Query.method).map((method) => [`/${Query.typeName}/${method.name}`, method]));
    const end = BigInt(transactions.at(-1)!.height);
    let compared = 0;
    for (const { params, result } of calls) {
      const method = methods.get(params.path ?? '');
      const height = BigInt(params.height ?? '0');
      if (method === undefined || height >= end || result.response.code !== 0) continue;
      const own = heights.get([...heights.keys()].filter((recorded) => recorded <= height).at(-1)!)!;
      const request = bytesWithAccounts(chain, Buffer.from(params.data, 'hex'));
      const answer = chain.raw(params.path, request, own);
      expect(comparable(chain, method.output, answer.value!), `${params.path} at ${height}`).toEqual(
        comparable(chain, method.output, Buffer.from(result.response.value, 'base64')),
      );
      compared += 1;
    }
    expect(compared).toBeGreaterThan(8);
  });
});
