import { describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createChain, message } from './harness.ts';

describe('a transaction', () => {
  it('moves coins', () => {
    const chain = createChain();
    const [a, b] = chain.accounts;
    const send = message(MsgSendSchema, {
      fromAddress: a!.address,
      toAddress: b!.address,
      amount: [{ denom: 'nhash', amount: '5' }],
    });
    const r = chain.deliver(a!, [send]);
    console.log(
      r.code,
      r.log,
      r.gasUsed,
      JSON.stringify(r.events.map((e) => [e.type, ...e.attributes.map((x) => `${x.key}=${x.value}`)])),
    );
    const check = chain.app.createCheckState();
    console.log(check.checkTx(chain.sign(a!, [send])));
    expect(r.code).toBe(0);
  });
});
