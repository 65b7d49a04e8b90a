import { create, toBinary } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import type { TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { signTx } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { Query } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgSubmitProposalSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { readRecording } from '../../recordings/recordings.ts';
import { type Chain, chainId, createChain, message } from './harness.ts';

const million = 1_000_000n;

function parts() {
  const chain = createChain();
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '5' }];
  const send = message(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount });
  return { chain, from: from!, to: to!, send };
}

/** A transaction of the first account with changes. */
function odd(chain: Chain, changes: Partial<Parameters<typeof signTx>[0]>): Uint8Array {
  const account = chain.accounts[0]!;
  return signTx({ account, accountNumber: 0n, sequence: 0n, chainId, messages: [parts().send], ...changes });
}

function outcome({ code, codespace, log }: TxResult): readonly [number, string, string] {
  return [code, codespace, log];
}

describe('a rejected transaction', () => {
  const { chain, to, send } = parts();
  const fee = (amount: bigint, denom = 'nhash') => ({ amount: [{ denom, amount }], gas: million });
  const other = (index: number) => {
    const { address } = chain.accounts[index]!;
    return message(MsgSendSchema, { fromAddress: address, toAddress: to.address, amount: [{ denom: 'nhash', amount: '5' }] });
  };
  const unable =
    'signature verification failed; please verify account number (0) and chain-id (testing): (unable to verify single signer signature): unauthorized';
  const cases: readonly (readonly [string, () => Uint8Array, number, string])[] = [
    [
      'sequence ahead',
      () => odd(chain, { sequence: 999n }),
      32,
      'account sequence mismatch, expected 0, got 999: incorrect account sequence',
    ],
    ['another chain', () => odd(chain, { chainId: 'other' }), 4, unable],
    ['another account number', () => odd(chain, { accountNumber: 1n }), 4, unable],
    [
      'no fee',
      () => odd(chain, { fee: { amount: [], gas: million } }),
      13,
      'fee required: "1nhash", fee provided: "", short by "1nhash": insufficient fee',
    ],
    [
      'fee in another coin',
      () => odd(chain, { fee: fee(9n, 'other') }),
      13,
      'fee required: "1nhash", fee provided: "", short by "1nhash": insufficient fee',
    ],
    [
      'fee for one message of two',
      () => odd(chain, { fee: fee(1n), messages: [send, send] }),
      13,
      'fee required: "2nhash", fee provided: "1nhash", short by "1nhash": insufficient fee',
    ],
    [
      'memo of 257 bytes',
      () => odd(chain, { memo: 'm'.repeat(257) }),
      12,
      'maximum number of characters is 256 but received 257 characters: memo too large',
    ],
    [
      'two signers, one signature',
      () => odd(chain, { fee: fee(9n), messages: [send, other(1)] }),
      4,
      'invalid number of signer;  expected: 2, got 1: unauthorized',
    ],
    [
      "another's money",
      () => odd(chain, { messages: [other(1)] }),
      8,
      `pubKey does not match signer address ${chain.accounts[1]!.address} with signer index: 0: invalid pubkey`,
    ],
    [
      'unknown message',
      () => odd(chain, { messages: [create(AnySchema, { typeUrl: '/x.y.MsgZ' })] }),
      2,
      'unable to resolve type URL /x.y.MsgZ: tx parse error: tx parse error',
    ],
    ['no message', () => odd(chain, { messages: [] }), 18, 'must contain at least one message: invalid request'],
  ];

  it.each(cases)('rejects a transaction: %s', (_, tx, code, log) => {
    expect(outcome(chain.app.createCheckState().checkTx(tx()))).toEqual([code, 'sdk', log]);
    expect(outcome(chain.block([tx()]).txResults[0]!)).toEqual([code, 'sdk', log]);
    expect(chain.account(chain.accounts[0]!.address).sequence).toBe(0n);
  });

  it.each([
    [
      'has never had coins',
      'tp1qyqszqgpqyqszqgpqyqszqgpqyqszqgpgk0hz2',
      9,
      'fee payer address: tp1qyqszqgpqyqszqgpqyqszqgpqyqszqgpgk0hz2 does not exist: unknown address',
    ],
    ['is no address', 'nonsense', 2, 'decoding bech32 failed: invalid separator index -1: tx parse error: tx parse error'],
  ])('a signer that %s', (_, fromAddress, code, log) => {
    const tx = odd(chain, { messages: [message(MsgSendSchema, { fromAddress })] });
    expect(outcome(chain.app.createCheckState().checkTx(tx))).toEqual([code, 'sdk', log]);
  });

  it('after its timeout height', () => {
    const late = odd(chain, { timeoutHeight: 1n });
    const height = chain.state.height + 1n;
    expect(outcome(chain.block([late]).txResults[0]!)).toEqual([
      30,
      'sdk',
      `block height: ${height}, timeout height: 1: tx timeout height`,
    ]);
  });

  it('with an invalid signature, or signed in another mode', () => {
    const good = odd(chain, {});
    const broken = good.slice();
    broken[broken.length - 1]! ^= 1;
    const check = chain.app.createCheckState();
    expect(check.checkTx(broken).code).toBe(4);
    expect(check.checkTx(good).code).toBe(0);
  });
});

describe('bytes that are not a transaction', () => {
  const check = createChain().app.createCheckState();
  const rows = readRecording('rpc').filter((row) => /^check_tx (garbage|empty|quoted|missing)/.test(row.name));
  it.each(rows.map((row) => [row.name, row] as const))('%s, as recorded', (_, row) => {
    const request = row.request as { params: { tx: string } } | undefined;
    const uri = /tx=(?:0x([0-9a-f]*)|%22abc%22|"abc")?/.exec(row.via);
    const bytes =
      request !== undefined
        ? Buffer.from(request.params.tx, 'base64')
        : uri?.[1]
          ? Buffer.from(uri[1], 'hex')
          : Buffer.from(uri ? 'abc' : '');
    const recorded = (row.response as { result: { code: number; codespace: string; log: string; gas_used: string } }).result;
    const result = check.checkTx(new Uint8Array(bytes));
    expect({ ...recorded, gas_used: String(result.gasUsed) }).toEqual(recorded);
    expect(outcome(result)).toEqual([recorded.code, recorded.codespace, recorded.log]);
  });

  it('740,000 bytes of 1', () => {
    const { log } = check.checkTx(new Uint8Array(740_000).fill(1));
    expect(log).toBe('invalid length; proto: invalid field number: tx parse error: tx parse error');
  });

  it('unordered fields, overlong lengths, unknown fields, truncated bytes, invalid content', () => {
    const texts = ['1200 0a00', '0a8000', '2200', '0a05', '0a01ff1200', '80'].map(
      (hex) => check.checkTx(new Uint8Array(Buffer.from(hex.replace(' ', ''), 'hex'))).log,
    );
    expect(texts).toEqual([
      'txRaw must follow ascending order, got tagNum 1 after tagNum 2: tx parse error: tx parse error',
      'length prefix varint for tagNum 1 is not as short as possible, read 2, only need 1: tx parse error: tx parse error',
      'errUnknownField "TxRaw": {TagNum: 4, WireType:"bytes"}: tx parse error: tx parse error',
      'invalid length; unexpected EOF: tx parse error: tx parse error',
      'unexpected EOF: tx parse error: tx parse error',
      'invalid length; unexpected EOF: tx parse error: tx parse error',
    ]);
  });
});

describe('checking', () => {
  it('uses up the sequence until the next block, and does not change the chain', () => {
    const { chain, from, send } = parts();
    const check = chain.app.createCheckState();
    const tx = chain.sign(from, [send]);
    expect(check.checkTx(tx).code).toBe(0);
    expect(outcome(check.checkTx(tx))).toEqual([
      32,
      'sdk',
      'account sequence mismatch, expected 1, got 0: incorrect account sequence',
    ]);
    expect(chain.app.createCheckState().checkTx(tx).code).toBe(0);
    expect(check.checkTx(chain.sign(from, [send], { sequenceAhead: 1n })).code).toBe(0);
    check.reset();
    expect(check.checkTx(tx).code).toBe(0);
    expect(chain.account(from.address).sequence).toBe(0n);
  });

  it('has the recorded events and fields', () => {
    const { chain, from, send } = parts();
    const row = readRecording('rpc').find(({ name }) => name === 'check_tx good')!;
    const recorded = (row.response as unknown as { result: { events: TxResult['events']; data: string } }).result;
    const result = chain.app.createCheckState().checkTx(chain.sign(from, [send]));
    const carol = readRecording('world').addr.carol;
    const events = JSON.stringify(recorded.events).replaceAll(carol, from.address);
    expect(JSON.stringify(result.events)).toBe(events);
    expect([result.data, recorded.data]).toEqual([new Uint8Array(), '']);
  });

  it('runs out of gas with the recorded text', () => {
    const { chain, from, send } = parts();
    const fee = { amount: [{ denom: 'nhash', amount: 1n }], gas: 20_000n };
    const result = chain.app.createCheckState().checkTx(chain.sign(from, [send], { fee }));
    expect([result.code, result.gasWanted]).toEqual([11, 20_000n]);
    expect(result.log).toMatch(/^out of gas in location: \w+; gasWanted: 20000, gasUsed: \d+: out of gas$/);
    expect(result.gasUsed).toBeGreaterThan(20_000n);
  });
});

describe('executing', () => {
  it('charges the base fee and the sequence of a transaction whose second message fails, and reverts its first', () => {
    const { chain, from, to, send } = parts();
    const tooMuch = message(MsgSendSchema, {
      fromAddress: from.address,
      toAddress: to.address,
      amount: [{ denom: 'nhash', amount: '99999999999999999999' }],
    });
    const result = chain.deliver(from, [send, tooMuch]);
    expect(outcome(result)).toEqual([
      5,
      'sdk',
      'failed to execute message; message index: 1: spendable balance 999999999999993nhash is smaller than 99999999999999999999nhash: insufficient funds',
    ]);
    const balance = (address: string) => chain.query(Query.method.balance, { address, denom: 'nhash' }).balance?.amount;
    expect([balance(from.address), balance(to.address)]).toEqual([String(10n ** 15n - 2n), String(10n ** 15n)]);
    expect(chain.account(from.address).sequence).toBe(1n);
    expect(result.events.map(({ type }) => type)).toEqual([
      'coin_spent',
      'coin_received',
      'transfer',
      'message',
      'tx',
      'tx',
      'tx',
      'tx',
    ]);
  });

  it('needs the signature of each signer of its messages', () => {
    const { chain, from, to } = parts();
    const policy = chain.accounts[5]!.address;
    const submit = message(MsgSubmitProposalSchema, { groupPolicyAddress: policy, proposers: [from.address, to.address] });
    const result = chain.deliver(from, [submit]);
    expect(outcome(result)).toEqual([4, 'sdk', 'invalid number of signer;  expected: 2, got 1: unauthorized']);
  });

  it('sends to several accounts, and creates them', () => {
    const { chain, from, to } = parts();
    const fresh = 'tp1sq0yuuel87e9cchrhvlw3kx6xrwjhyccj8wuqc';
    const coins = (amount: string) => [{ denom: 'nhash', amount }];
    const multi = message(MsgMultiSendSchema, {
      inputs: [{ address: from.address, coins: coins('30') }],
      outputs: [
        { address: to.address, coins: coins('10') },
        { address: fresh, coins: coins('20') },
      ],
    });
    expect(chain.deliver(from, [multi]).code).toBe(0);
    expect(chain.query(Query.method.balance, { address: fresh, denom: 'nhash' }).balance?.amount).toBe('20');
    expect(chain.account(fresh).accountNumber).toBeGreaterThanOrEqual(10n);
    const { amount } = chain.query(Query.method.supplyOf, { denom: 'nhash' });
    expect(amount?.amount).toBe(String(10n ** 16n));
  });

  it('distributes the fees in the next block, and keeps the supply', () => {
    const { chain, from, send } = parts();
    chain.deliver(from, [send]);
    const { events } = chain.block();
    expect(events.map(({ type }) => type)).toEqual([
      'message',
      'mint',
      'coin_spent',
      'coin_received',
      'transfer',
      'message',
      'commission',
      'rewards',
    ]);
    expect(events.every(({ attributes }) => attributes.at(-1)?.value === 'BeginBlock')).toBe(true);
  });

  it('is deterministic to the hash', () => {
    const hashes = [0, 1].map(() => {
      const { chain, from, send } = parts();
      return Buffer.from(chain.block([chain.sign(from, [send])]).appHash).toString('hex');
    });
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('decodes a body with a message', () => {
    const { chain } = parts();
    const bodyBytes = toBinary(
      TxBodySchema,
      create(TxBodySchema, { messages: [{ typeUrl: '/cosmos.bank.v1beta1.MsgSend', value: Uint8Array.of(0xff) }] }),
    );
    const raw = toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes }));
    expect(chain.block([raw]).txResults[0]?.code).toBe(2);
  });
});
