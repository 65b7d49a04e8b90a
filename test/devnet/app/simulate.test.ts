import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { SimulateResponse } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, moduleAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { PubKeySchema } from '../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SimulateRequestSchema } from '../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { AuthInfoSchema, type ModeInfo, TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { readRecording } from '../../recordings/recordings.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, exec, proposal, submitProposal, type TestGroup, vote } from '../../support/groups.ts';

let chain: TestChain;
let group: TestGroup;
let a: WalletAccount;
let b: WalletAccount;
let c: WalletAccount;
let stranger: WalletAccount;
let open: bigint;

const nobody = encodeAddress(new Uint8Array(20).fill(9));

beforeAll(async () => {
  chain = await startChain();
  [a, b, c, stranger] = chain.accounts.slice(5) as [WalletAccount, WalletAccount, WalletAccount, WalletAccount];
  group = await createGroup(chain, [
    [a, '1'],
    [b, '1'],
    [c, '1'],
  ]);
  await chain.run(a, send(a.address, group.policy, '100'));
  open = await submitProposal(chain, group, a, { messages: [pay()] });
  await chain.run(a, vote(a, open));
  return () => chain.devnet.close();
});

const send = (from: string, to: string, amount: string): Any =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom: 'nhash', amount }] });
const pay = (amount = '5'): Any => send(group.policy, b.address, amount);
const single = { sum: { case: 'single', value: { mode: 1 } } } as ModeInfo;

interface Variant {
  readonly signers?: readonly string[];
  readonly unordered?: boolean;
  readonly seconds?: number | null;
  readonly sequence?: bigint;
  readonly infos?: number;
  readonly signatures?: number | readonly Uint8Array[];
  readonly mode?: ModeInfo | null;
  readonly keys?: boolean;
  readonly fee?: { amount?: { denom: string; amount: string }[]; gasLimit?: bigint; payer?: string; granter?: string } | null;
  readonly height?: bigint;
}

/** A transaction of the simulations that were recorded: unordered, an entry without a key and an empty signature for each signer. */
function tx(messages: readonly Any[], variant: Variant = {}): Uint8Array {
  const { signers = [a.address, b.address], unordered = true, seconds = 60, sequence = 0n, mode = single } = variant;
  const { keys = false, fee = {}, infos = signers.length, signatures = signers.length, height = 0n } = variant;
  const now = Date.now() + (seconds ?? 0) * 1000;
  const timeoutTimestamp = seconds === null ? undefined : { seconds: BigInt(Math.floor(now / 1000)), nanos: 0 };
  const body = create(TxBodySchema, {
    messages: [...messages],
    unordered,
    timeoutHeight: height,
    ...(timeoutTimestamp && { timeoutTimestamp }),
  });
  const publicKey = keys ? any(PubKeySchema, { key: a.publicKey }) : undefined;
  const signerInfos = Array.from({ length: infos }, () => ({
    sequence,
    ...(mode && { modeInfo: mode }),
    ...(publicKey && { publicKey }),
  }));
  const authInfo = create(AuthInfoSchema, { signerInfos, ...(fee && { fee }) });
  const list = typeof signatures === 'number' ? Array.from({ length: signatures }, () => new Uint8Array()) : [...signatures];
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, body),
      authInfoBytes: toBinary(AuthInfoSchema, authInfo),
      signatures: list,
    }),
  );
}

interface Reply {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly value: string | null;
  readonly height: string;
}

async function query(path: string, data: Uint8Array, height = '0'): Promise<Reply> {
  const params = { path, data: Buffer.from(data).toString('hex'), height, prove: false };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'abci_query', params });
  const response = await fetch(chain.node.url, { method: 'POST', body });
  return ((await response.json()) as { result: { response: Reply } }).result.response;
}

const simulate = (bytes: Uint8Array, height?: string): Promise<Reply> =>
  query(
    '/cosmos.tx.v1beta1.Service/Simulate',
    toBinary(SimulateRequestSchema, create(SimulateRequestSchema, { txBytes: bytes })),
    height,
  );

/** A log without what differs between two chains: addresses, heights, times, sequences, balances and gas; and without the stack of a panic. */
const plain = (log: string): string =>
  log
    .replace(/\nstack:\n[\s\S]*?(?=: panic)/, '\nstack:\n')
    .replace(/tp1[02-9ac-hj-np-z]+/g, 'ADDRESS')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC/g, 'TIME')
    .replace(/block height: \d+/, 'block height: N')
    .replace(/(mismatch, expected) \d+, got \d+/, '$1 N, got N')
    .replace(/balance \d+nhash is smaller than \d+nhash/, 'balance N is smaller than N')
    .replace(/gas used: '\d+'/, "gas used: 'N'");

function recorded(name: string): Reply {
  const row = readRecording('simulations').find((each) => each.name === name);
  return (row!.response as unknown as { response: Reply }).response;
}

const submission = (messages: readonly Any[], proposers = [a, b]): Any => proposal(group, proposers, { messages, exec: true });

describe('a simulation on the development chain has the code and the text of the recorded one', () => {
  const cases: readonly (readonly [recorded: string, bytes: () => Uint8Array])[] = [
    ['A2 ordered, sequences 0 (acc1 has more)', () => tx([submission([pay()])], { unordered: false, seconds: null })],
    ['A2 unordered, sequence 1 set', () => tx([submission([pay()])], { sequence: 1n })],
    ['A2 unordered, no timeout', () => tx([submission([pay()])], { seconds: null })],
    ['A2 unordered, timeout in the past', () => tx([submission([pay()])], { seconds: -3600 })],
    ['A2 unordered, timeout in 10 minutes', () => tx([submission([pay()])], { seconds: 900 })],
    ['A2 one signer info for two signers', () => tx([submission([pay()])], { infos: 1 })],
    ['A2 no signer infos, two empty signatures', () => tx([submission([pay()])], { infos: 0 })],
    ['A2 two signer infos, no signatures', () => tx([submission([pay()])], { signatures: 0 })],
    ['A2 two signer infos, one signature', () => tx([submission([pay()])], { signatures: 1 })],
    ['A2 two signer infos without mode info, two signatures', () => tx([submission([pay()])], { mode: null })],
    ['A2 no fee object', () => tx([submission([pay()])], { fee: null })],
    ['A2 gas limit 10^15', () => tx([submission([pay()])], { fee: { gasLimit: 10n ** 15n } })],
    ['A2 gas limit 4000001', () => tx([submission([pay()])], { fee: { gasLimit: 4_000_001n } })],
    [
      'A2 fee payer that is no account (third signer)',
      () => tx([submission([pay()])], { signers: [a.address, b.address, nobody], fee: { payer: nobody } }),
    ],
    ['A2 fee granter without a grant', () => tx([submission([pay()])], { fee: { granter: stranger.address } })],
    ['A2 timeout height 1: tells the height', () => tx([submission([pay()])], { height: 1n })],
    ['A2 policy as signer of the transaction', () => tx([pay()], { signers: [group.policy] })],
    ['A2 account that does not exist as signer', () => tx([send(nobody, a.address, '1')], { signers: [nobody] })],
    [
      'A3 policy as tx signer, 64-byte signature',
      () => tx([pay()], { signers: [group.policy], signatures: [new Uint8Array(64)] }),
    ],
    [
      'A3 gov module account as tx signer',
      () => tx([send(encodeAddress(moduleAddress('gov')), a.address, '1')], { signers: ['gov'] }),
    ],
    ['A3 proposer is no member', () => tx([submission([pay()], [stranger])], { signers: [stranger.address] })],
    ['A3 message of another signer', () => tx([submission([send(stranger.address, a.address, '1')])])],
    ['A4 a member votes again', () => tx([vote(a, open)], { signers: [a.address] })],
    ['A4 a stranger votes', () => tx([vote(stranger, open)], { signers: [stranger.address] })],
    ['A4 no such proposal', () => tx([exec(a, 9999n)], { signers: [a.address] })],
    [
      'A4 open with 1 YES: votes of both others with EXEC_TRY',
      () => tx([vote(b, open, 'YES', true), vote(c, open, 'YES', true)], { signers: [b.address, c.address] }),
    ],
  ];

  it.each(cases)('%s', async (name, bytes) => {
    const { code, codespace, log } = await simulate(bytes());
    const expected = recorded(name);
    expect({ code, codespace, log: plain(log) }).toEqual({
      code: expected.code,
      codespace: expected.codespace,
      log: plain(expected.log),
    });
  });

  it.each<readonly [string, () => Uint8Array]>([
    [
      'A9 wrong sequence',
      () => tx([send(a.address, b.address, '1')], { signers: [a.address], unordered: false, seconds: null, sequence: 9999n }),
    ],
    ['A9 no member', () => tx([submission([pay()], [stranger])], { signers: [stranger.address] })],
    ['A9 no such account', () => tx([send(nobody, a.address, '1')], { signers: [nobody] })],
    ['A9 too little', () => tx([send(a.address, b.address, '9'.repeat(30))], { signers: [a.address] })],
    ['A9 votes again', () => tx([exec(a, 9999n)], { signers: [a.address] })],
    ['A9 policy as signer', () => tx([pay()], { signers: [group.policy] })],
    ['A9 policy as signer, 64 bytes', () => tx([pay()], { signers: [group.policy], signatures: [new Uint8Array(64)] })],
    ['A9 expired', () => tx([send(a.address, b.address, '1')], { signers: [a.address], seconds: -3600 })],
    ['A9 empty', () => new Uint8Array()],
  ])('%s, by /app/simulate', async (name, bytes) => {
    const { code, codespace, log } = await query('/app/simulate', bytes());
    const expected = recorded(name);
    expect({ code, codespace, log: plain(log) }).toEqual({
      code: expected.code,
      codespace: expected.codespace,
      log: plain(expected.log),
    });
  });
});

describe('a simulation that is accepted', () => {
  const events = (value: string | null): readonly string[] =>
    (SimulateResponse.decode(Buffer.from(value ?? '', 'base64')).result?.events ?? []).map(
      ({ type, attributes }) =>
        `${type} ${attributes.map(({ key, index }) => `${Buffer.from(key)}${index ? '!' : ''}`).join()}`,
    );

  it.each<readonly [string, () => Uint8Array]>([
    ['A2 unordered, 2 signers, no keys, empty signatures, no fee, gas 0', () => tx([submission([pay()])])],
    ['A2 keys of other accounts', () => tx([submission([pay()])], { keys: true })],
    [
      'A2 signatures of 64 random bytes',
      () => tx([submission([pay()])], { signatures: [new Uint8Array(64), new Uint8Array(64)] }),
    ],
    ['A2 gas limit 1', () => tx([submission([pay()])], { fee: { gasLimit: 1n } })],
    [
      'A2 fee of 10^30 nhash',
      () => tx([submission([pay()])], { fee: { amount: [{ denom: 'nhash', amount: `1${'0'.repeat(30)}` }] } }),
    ],
    ['A3 weights do not suffice (1 of 2)', () => tx([submission([pay()], [a])], { signers: [a.address] })],
    ['A3 three messages of which the second fails', () => tx([submission([pay(), pay('100000000'), pay()])])],
  ])('%s: the same events, and the fee in the place of the gas', async (name, bytes) => {
    const { code, value } = await simulate(bytes());
    const [own, expected] = [value, recorded(name).value];
    expect([code, events(own)]).toEqual([0, events(expected)]);
    const gas = (text: string | null) => SimulateResponse.decode(Buffer.from(text ?? '', 'base64')).gasInfo;
    expect(gas(own)?.gasUsed).toBe(gas(expected)?.gasUsed);
    expect(Number(gas(own)?.gasWanted)).toBeGreaterThan(50_000);
  });

  it('has the requested height, and that of a block that does not exist is refused', async () => {
    expect((await simulate(tx([submission([pay()])]), '2')).height).toBe('2');
    const future = await simulate(tx([submission([pay()])]), '999999');
    const expected = recorded('A2 abci_query height in the future');
    expect([future.code, future.codespace, future.log]).toEqual([expected.code, expected.codespace, expected.log]);
  });

  it('99 messages in a proposal are decoded, and 100 are not', async () => {
    const many = (count: number) => simulate(tx([submission(Array.from({ length: count }, () => pay('0')))]));
    expect((await many(99)).code).toBe(0);
    expect(plain((await many(100)).log)).toBe(
      "rpc error: code = Unknown desc = call limit exceeded: tx parse error: tx parse error [cosmossdk.io/errors@v1.1.0/errors.go:161] with gas used: 'N': unknown request",
    );
  });
});
