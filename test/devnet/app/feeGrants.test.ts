import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { AllowedMsgAllowance, BasicAllowance, PeriodicAllowance } from 'cosmjs-types/cosmos/feegrant/v1beta1/feegrant';
import { describe, expect, it } from 'vitest';
import { signTx, type WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import { MsgGrantAllowanceSchema, MsgRevokeAllowanceSchema } from '../../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import { AuthInfoSchema, SignDocSchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { chainId, createChain, message, second } from './harness.ts';

const fee = 1_000_000_000n;
const nhash = (amount: bigint) => [{ denom: 'nhash', amount: String(amount) }];
const at = (time: bigint) => ({ seconds: time / second, nanos: 0 });
const packed = (typeName: string, value: Uint8Array) => ({ typeUrl: `/cosmos.feegrant.v1beta1.${typeName}`, value });
// The allowances are encoded by another library than the one that decodes them.
const basic = (init: Partial<BasicAllowance>) =>
  packed('BasicAllowance', BasicAllowance.encode({ spendLimit: [], ...init }).finish());
const periodic = (init: PeriodicAllowance) => packed('PeriodicAllowance', PeriodicAllowance.encode(init).finish());
const onlyFor = (allowedMessages: string[], allowance: { typeUrl: string; value: Uint8Array }) =>
  packed('AllowedMsgAllowance', AllowedMsgAllowance.encode({ allowance, allowedMessages }).finish());

function setUp() {
  const chain = createChain();
  const [granter, grantee, friend] = chain.accounts as [WalletAccount, WalletAccount, WalletAccount];
  const grant = (allowance: { typeUrl: string; value: Uint8Array }) =>
    chain.deliver(granter, [
      message(MsgGrantAllowanceSchema, { granter: granter.address, grantee: grantee.address, allowance }),
    ]);
  const send = message(MsgSendSchema, { fromAddress: grantee.address, toAddress: friend.address, amount: nhash(1n) });
  /** A transaction of the grantee with the granter as payer. */
  const spend = (total = fee) => {
    const { accountNumber, sequence } = chain.account(grantee.address);
    const plain = { amount: [{ denom: 'nhash', amount: total }], gas: 1_000_000n };
    const raw = fromBinary(
      TxRawSchema,
      signTx({ account: grantee, accountNumber, sequence, chainId, messages: [send], fee: plain }),
    );
    const authInfo = fromBinary(AuthInfoSchema, raw.authInfoBytes);
    authInfo.fee!.granter = granter.address;
    const authInfoBytes = toBinary(AuthInfoSchema, authInfo);
    const document = create(SignDocSchema, { bodyBytes: raw.bodyBytes, authInfoBytes, chainId, accountNumber });
    const signature = secp256k1.sign(toBinary(SignDocSchema, document), grantee.privateKey, { prehash: true, lowS: true });
    const tx = toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes: raw.bodyBytes, authInfoBytes, signatures: [signature] }));
    return chain.block([tx]).txResults[0]!;
  };
  const balance = (address: string): bigint =>
    BigInt(chain.query(BankQuery.method.balance, { address, denom: 'nhash' }).balance!.amount);
  const left = () =>
    chain.query(Query.method.allowance, { granter: granter.address, grantee: grantee.address }).allowance?.allowance?.value;
  return { chain, granter, grantee, grant, spend, balance, left };
}

const notes = (events: readonly { type: string }[]): string[] =>
  events.map(({ type }) => type).filter((type) => type.endsWith('_feegrant'));

describe('a fee grant', () => {
  it('pays from the coins of the granter, and its limit decreases', () => {
    const { granter, grantee, grant, spend, balance, left } = setUp();
    expect(notes(grant(basic({ spendLimit: nhash(3n * fee) })).events)).toEqual(['set_feegrant']);
    const before = [balance(granter.address), balance(grantee.address)] as const;
    const result = spend();
    expect([result.code, notes(result.events)]).toEqual([
      0,
      ['use_feegrant', 'update_feegrant', 'use_feegrant', 'update_feegrant'],
    ]);
    expect([balance(granter.address) - before[0], balance(grantee.address) - before[1]]).toEqual([-fee, -1n]);
    expect(BasicAllowance.decode(left()!).spendLimit).toEqual(nhash(2n * fee));
  });

  it('ends when it is used up', () => {
    const { grant, spend, left } = setUp();
    grant(basic({ spendLimit: nhash(fee) }));
    const result = spend();
    expect([result.code, notes(result.events)]).toEqual([
      0,
      ['use_feegrant', 'update_feegrant', 'revoke_feegrant', 'use_feegrant'],
    ]);
    expect(left).toThrow('rpc error: code = Internal desc = fee-grant not found: not found: unknown request');
    expect(spend()).toMatchObject({
      code: 38,
      log: expect.stringMatching(/does not allow to pay fees for .*: fee-grant not found/),
    });
  });

  it('pays no more than its limit', () => {
    const { granter, grant, spend, balance } = setUp();
    grant(basic({ spendLimit: nhash(fee - 1n) }));
    const before = balance(granter.address);
    const result = spend();
    // The base fee is charged, and the rest is rejected after the messages.
    expect([result.code, result.codespace, balance(granter.address) - before]).toEqual([2, 'feegrant', -1n]);
  });

  it('without a limit lasts until its expiration, and is then deleted', () => {
    const { chain, granter, grantee, grant, spend, left } = setUp();
    grant(basic({ expiration: at(chain.state.time + 30n * second) }));
    expect(spend().code).toBe(0);
    expect(left()).toBeDefined();
    chain.block([], 60n * second);
    expect(left).toThrow('fee-grant not found');
    expect(grant(basic({ expiration: at(chain.state.time - 30n * second) })).code).toBe(18);
    expect(chain.query(Query.method.allowances, { grantee: grantee.address }).allowances).toEqual([]);
    expect(chain.query(Query.method.allowancesByGranter, { granter: granter.address }).allowances).toEqual([]);
  });

  it('with a period renews in each period', () => {
    const { chain, grant, spend, left } = setUp();
    const reset = at(chain.state.time + 100n * second);
    const limits = { periodSpendLimit: nhash(fee), periodCanSpend: nhash(fee) };
    grant(
      periodic({ basic: { spendLimit: nhash(10n * fee) }, period: { seconds: 100n, nanos: 0 }, periodReset: reset, ...limits }),
    );
    expect([spend().code, spend().code]).toEqual([0, 2]);
    expect(PeriodicAllowance.decode(left()!)).toMatchObject({ periodCanSpend: [], basic: { spendLimit: nhash(9n * fee) } });
    chain.block([], 120n * second);
    expect(spend().code).toBe(0);
    const after = PeriodicAllowance.decode(left()!);
    expect([after.periodReset?.seconds, after.basic?.spendLimit]).toEqual([reset.seconds + 100n, nhash(8n * fee)]);
  });

  it('for some messages does not pay for others', () => {
    const { grant, spend, left } = setUp();
    grant(onlyFor(['/cosmos.group.v1.MsgVote'], basic({})));
    expect(spend()).toMatchObject({ code: 7, codespace: 'feegrant' });
    const other = setUp();
    other.grant(onlyFor(['/cosmos.bank.v1beta1.MsgSend'], basic({ spendLimit: nhash(3n * fee) })));
    expect(other.spend().code).toBe(0);
    const inner = AllowedMsgAllowance.decode(other.left()!).allowance!;
    expect(BasicAllowance.decode(inner.value).spendLimit).toEqual(nhash(2n * fee));
    expect(left()).toBeDefined();
  });

  it('can be granted once, and revoked', () => {
    const { chain, granter, grantee, grant } = setUp();
    expect([grant(basic({})).code, grant(basic({})).code]).toEqual([0, 18]);
    const revoke = message(MsgRevokeAllowanceSchema, { granter: granter.address, grantee: grantee.address });
    expect(notes(chain.deliver(granter, [revoke]).events)).toEqual(['revoke_feegrant']);
    expect(chain.deliver(granter, [revoke]).code).toBe(38);
  });
});
