import { MsgExec as AuthzExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { MsgSubmitProposal as GovProposal } from 'cosmjs-types/cosmos/gov/v1/tx';
import { Exec, MsgExec, MsgSubmitProposal, MsgVote } from 'cosmjs-types/cosmos/group/v1/tx';
import { AuthInfo, TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { MsgExecuteContract } from 'cosmjs-types/cosmwasm/wasm/v1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { executionOf, type NotPlain, whyNotPlain } from '../../../src/chain/simulation/execution.ts';
import { readDescriptors, readRecording } from '../../recordings/recordings.ts';

const { registry } = createDescriptorPool(readDescriptors());

interface Encoder<T> {
  readonly typeUrl: string;
  fromPartial(value: object): T;
  encode(value: T): { finish(): Uint8Array };
}

/** Packs a message with the encoder of cosmjs-types. */
function pack<T>(type: Encoder<T>, value: object): Any {
  return Any.fromPartial({ typeUrl: type.typeUrl, value: type.encode(type.fromPartial(value)).finish() });
}

function txOf(messages: readonly Any[], more: object = {}): Uint8Array {
  const body = TxBody.encode(TxBody.fromPartial({ messages: [...messages], ...more })).finish();
  const auth = AuthInfo.encode(AuthInfo.fromPartial({ fee: {} })).finish();
  return TxRaw.encode({ bodyBytes: body, authInfoBytes: auth, signatures: [new Uint8Array()] }).finish();
}

const send = pack(MsgSend, { fromAddress: 'tp1a', toAddress: 'tp1b', amount: [{ denom: 'nhash', amount: '1' }] });
const loop = pack(MsgExecuteContract, { sender: 'tp1a', contract: 'tp1c', msg: Buffer.from('{"cpu_loop":{}}') });
const inAuthz = (...msgs: Any[]): Any => pack(AuthzExec, { grantee: 'tp1a', msgs });
const inGroup = (...messages: Any[]): Any => pack(MsgSubmitProposal, { messages, exec: Exec.EXEC_TRY });
const inGov = (...messages: Any[]): Any => pack(GovProposal, { messages });

const why = (tx: Uint8Array, stored: Record<string, readonly Any[]> = {}, bytes = 65_536): Promise<NotPlain | undefined> =>
  whyNotPlain(tx, {
    ...{ bytes, messages: 100, registry },
    proposal: async (id) => stored[`${id}`] as Awaited<ReturnType<Parameters<typeof whyNotPlain>[1]['proposal']>>,
  });

const contract = { reason: 'CONTRACT', type: 'cosmwasm.wasm.v1.MsgExecuteContract' };

describe('a transaction of cosmjs-types', () => {
  it.each([
    ['a send', [send]],
    ['a send inside of authz', [inAuthz(send, send)]],
    ['a send in a group proposal that is tried', [inGroup(send)]],
    ['a send in a proposal of x/gov in a group proposal', [inGroup(inGov(send))]],
    ['a vote', [pack(MsgVote, { proposalId: 1n })]],
    ['no message', []],
  ])('is plain: %s', async (_, messages) => {
    expect(await why(txOf(messages))).toBeUndefined();
  });

  it.each([
    ['alone', [loop]],
    ['after a send', [send, loop]],
    ['inside of authz', [inAuthz(send, loop)]],
    ['in a group proposal', [inGroup(loop)]],
    ['in a proposal of x/gov', [inGov(loop)]],
    ['eight levels deep', [inAuthz(inGroup(inGov(inAuthz(inGroup(inGov(inAuthz(inGroup(loop))))))))]],
  ])('executes a contract %s', async (_, messages) => {
    expect(await why(txOf(messages))).toEqual(contract);
  });

  it('executes a contract in an extension option', async () => {
    expect(await why(txOf([send], { extensionOptions: [loop] }))).toEqual(contract);
    expect(await why(txOf([send], { nonCriticalExtensionOptions: [loop] }))).toEqual(contract);
  });

  it.each([
    '/cosmwasm.wasm.v1.MsgStoreCode',
    '/cosmwasm.wasm.v1.MsgInstantiateContract',
    '/cosmwasm.wasm.v1.MsgInstantiateContract2',
    '/cosmwasm.wasm.v1.MsgMigrateContract',
    '/cosmwasm.wasm.v1.MsgSudoContract',
    '/cosmwasm.wasm.v1.MsgStoreAndInstantiateContract',
    '/cosmwasm.wasm.v1.MsgStoreAndMigrateContract',
    '/ibc.applications.transfer.v1.MsgTransfer',
    '/ibc.core.channel.v1.MsgRecvPacket',
    '/ibc.core.channel.v1.MsgAcknowledgement',
    '/ibc.core.channel.v2.MsgSendPacket',
    '/ibc.applications.interchain_accounts.controller.v1.MsgSendTx',
    '/provenance.marker.v1.MsgIbcTransferRequest',
    '/provenance.ibchooks.v1.MsgEmitIBCAck',
    '/provenance.oracle.v1.MsgSendQueryOracleRequest',
    '/cosmos.crisis.v1beta1.MsgVerifyInvariant',
    '/no.such.Msg',
    'type.googleapis.com/cosmwasm.wasm.v1.MsgExecuteContract',
    '/a/b//cosmwasm.wasm.v1.MsgExecuteContract',
    '',
  ])('is refused with the type %s, also inside of authz', async (typeUrl) => {
    const message = Any.fromPartial({ typeUrl });
    for (const tx of [txOf([message]), txOf([inAuthz(message)])]) expect((await why(tx))?.reason).toBe('CONTRACT');
  });

  it('is refused if a type, a field or the bytes are not known', async () => {
    const type = 'cosmos.bank.v1beta1.MsgSend';
    const messageOf = (...value: number[]): Any => Any.fromPartial({ typeUrl: `/${type}`, value: Uint8Array.from(value) });
    // Field 15 of a later release, and a group, which no message has.
    expect(await why(txOf([messageOf(0x7a, 0)]))).toEqual({ reason: 'UNKNOWN_TYPE', type });
    expect(await why(txOf([messageOf(0x5b, 0x5c)]))).toEqual({ reason: 'UNKNOWN_TYPE', type });
    // Bytes that end too early.
    expect(await why(txOf([messageOf(0x0a, 5)]))).toEqual({ reason: 'MALFORMED', type });
    expect(await why(txOf([Any.fromPartial({ typeUrl: '/cosmos.bank.v1beta1.MsgSendLater' })]))).toMatchObject({
      reason: 'UNKNOWN_TYPE',
    });
    const lengthAlone = Uint8Array.from([0x0a, 1, 0x0a]);
    expect(await why(lengthAlone)).toEqual({ reason: 'MALFORMED', type: 'cosmos.tx.v1beta1.TxBody' });
    // A node refuses these before it executes anything.
    for (const bytes of [[], [0, 0x11], [1, 2, 3], [0x0a, 5]]) expect(await why(Uint8Array.from(bytes))).toBeUndefined();
    expect(await why(Buffer.concat([txOf([send]), Uint8Array.from([0x7a, 0])]))).toMatchObject({ reason: 'UNKNOWN_TYPE' });
  });

  it('is refused over 100 messages, counted at every depth, and over its bytes', async () => {
    expect(await why(txOf(Array.from({ length: 100 }, () => send)))).toBeUndefined();
    expect(await why(txOf(Array.from({ length: 101 }, () => send)))).toEqual({ reason: 'TOO_MANY_MESSAGES', max: 100 });
    expect(await why(txOf([inAuthz(...Array.from({ length: 99 }, () => send))]))).toBeUndefined();
    expect(await why(txOf([inAuthz(...Array.from({ length: 100 }, () => send))]))).toMatchObject({
      reason: 'TOO_MANY_MESSAGES',
    });
    const tx = txOf([send]);
    expect(await why(tx, {}, tx.length)).toBeUndefined();
    expect(await why(tx, {}, tx.length - 1)).toEqual({ reason: 'TOO_LARGE', max: tx.length - 1 });
  });

  it('executes the contract of a stored proposal, by its id and by a vote that tries it', async () => {
    const stored = { 1: [send], 2: [loop], 3: [pack(MsgExec, { proposalId: 2n })], 4: [pack(MsgExec, { proposalId: 4n })] };
    const exec = (proposalId: bigint): Uint8Array => txOf([pack(MsgExec, { proposalId })]);
    const tried = (proposalId: bigint): Uint8Array => txOf([pack(MsgVote, { proposalId, exec: Exec.EXEC_TRY })]);
    for (const tx of [exec, tried]) {
      expect(await why(tx(1n), stored)).toBeUndefined();
      expect(await why(tx(2n), stored)).toEqual(contract);
      // A proposal that executes another one.
      expect(await why(tx(3n), stored)).toEqual(contract);
      expect(await why(tx(4n), stored)).toBeUndefined();
      expect(await why(tx(5n), stored)).toEqual({ reason: 'UNKNOWN_PROPOSAL' });
    }
    expect(await why(txOf([pack(MsgVote, { proposalId: 2n })]), stored)).toBeUndefined();
  });
});

describe('a recorded simulation', () => {
  /** What is not plain, by the start of the name. */
  const refused = {
    'A3 message type that does not exist': 'CONTRACT',
    'A3 message with an invalid body': 'MALFORMED',
    'A4 no such proposal': 'UNKNOWN_PROPOSAL',
    'A4 withdrawn: MsgVote': undefined,
    'A5 wasm': 'CONTRACT',
    'A8 a contract that loops': 'CONTRACT',
    'A9 unknown type': 'CONTRACT',
  };
  const rows = readRecording('simulations').flatMap(({ name, request: { params } }) => {
    const execution = params && executionOf(params.path, Buffer.from(params.data, 'hex'));
    return execution?.kind === 'SIMULATION' ? [{ name, txs: execution.txs ?? [] }] : [];
  });

  it('is found in every request', () => {
    expect(rows).toHaveLength(readRecording('simulations').filter(({ request }) => request.params !== undefined).length);
  });

  it.each(rows)('the recorded simulation $name is plain or not as the node says', async ({ name, txs }) => {
    const reason = (await why(txs[0] ?? new Uint8Array()))?.reason;
    // No proposal is stored here. A9 "votes again" votes with EXEC_TRY.
    const isOfStored = /^A4.*(MsgExec|EXEC_TRY|and executes|votes( again)?$|, then vote$)|^A9 votes again/.test(name);
    const special = Object.entries(refused).find(([start]) => name.startsWith(start));
    expect(reason).toBe(special?.[1] ?? (isOfStored ? 'UNKNOWN_PROPOSAL' : undefined));
  });
});
