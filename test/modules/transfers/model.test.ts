import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/chain/base/execution.ts';
import { coinsOfText } from '../../../src/modules/bank/query.ts';
import { signedTx, type Transaction } from '../../../src/modules/transactions/query.ts';
import { transferOf } from '../../../src/modules/transfers/query.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { recordedTransfers } from './recordedTransfers.ts';

const collector = recordedTransfers().find(({ kind }) => kind === 'FEE')!.recipient;
const event = (attributes: Record<string, string>): Event => ({
  type: 'transfer',
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })),
});

/** The recorded transaction of one MsgSend, with the given events. */
function sendWith(events: readonly Event[]): Transaction {
  const { block } = readRecording('chain').find(({ height }) => height === '21')!;
  const [tx] = (block.block as { data: { txs: string[] } }).data.txs;
  const result = { code: 0, codespace: '', log: '', info: '', data: null, gasWanted: 0n, gasUsed: 0n, events };
  return { ...signedTx(tx!), height: 21n, index: 0, result };
}

/** Reads a transfer from an event of a transaction, or of a block. */
function transferIn(of: Event, ofBlock = false) {
  const transaction = ofBlock ? null : sendWith([of]);
  return transferOf(of, { height: 21n, transaction, events: [of] });
}

describe('kind of a transfer', () => {
  const plain = { recipient: 'tp1x', sender: 'tp1y', amount: '1nhash' };

  it('follows from its message', () => {
    const sent = transferIn(event({ ...plain, msg_index: '0' }));
    expect(sent).toMatchObject({ kind: 'SEND', message: { type: '/cosmos.bank.v1beta1.MsgSend' } });
  });

  it('is a fee only without a message, to the fee collector, in a transaction', () => {
    const paid = { ...plain, recipient: collector };
    expect(transferIn(event(paid))).toMatchObject({ kind: 'FEE', message: null });
    expect(transferIn(event(plain))).toMatchObject({ kind: 'OTHER', message: null });
    expect(transferIn(event({ ...paid, msg_index: '0' }))).toMatchObject({ kind: 'SEND' });
    expect(transferIn(event({ ...paid, mode: 'EndBlock' }), true)).toMatchObject({ kind: 'OTHER', transaction: null });
  });

  it('is OTHER if the transaction lacks the message', () => {
    expect(transferIn(event({ ...plain, msg_index: '7' }))).toMatchObject({ kind: 'OTHER', message: null });
    expect(transferIn(event({ ...plain, recipient: collector, msg_index: '7' }))).toMatchObject({ kind: 'OTHER' });
  });
});

describe('incomplete and malformed transfer events', () => {
  it('the sender is null if the event has none', () => {
    expect(transferIn(event({ recipient: 'tp1x', amount: '5nhash' }))).toMatchObject({ sender: null, recipient: 'tp1x' });
  });

  it('an event without a recipient or with malformed coins is ignored', () => {
    expect(transferIn(event({ sender: 'tp1y', amount: '5nhash' }))).toBeNull();
    expect(transferIn(event({ recipient: 'tp1x', amount: 'five' }))).toBeNull();
    expect(transferIn(event({ recipient: 'tp1x', amount: '5nhash,' }))).toBeNull();
  });

  it('an empty amount is an empty list of coins', () => {
    expect(transferIn(event({ recipient: 'tp1x', amount: '' }))).toMatchObject({ amount: [] });
  });
});

describe('coinsOfText', () => {
  it('parses one or several coins of any size, including denoms with slashes', () => {
    expect(coinsOfText('')).toEqual([]);
    expect(coinsOfText('1nft/scope1qq,18446744073709551616ibc/ABC')).toEqual([
      { amount: '1', denom: 'nft/scope1qq' },
      { amount: '18446744073709551616', denom: 'ibc/ABC' },
    ]);
    for (const text of ['nhash', '5', '-5nhash', '5 nhash', ',', '5nhash,,5gold']) expect(coinsOfText(text)).toBeUndefined();
  });
});
