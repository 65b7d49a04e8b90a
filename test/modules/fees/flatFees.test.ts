import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

async function codeOf(field: string): Promise<unknown> {
  const { body } = await stack.ask(`{ answer: ${field} }`);
  return body.errors?.[0]?.extensions;
}

describe('flat fees', () => {
  it.each(['/some.day.v1.MsgNew', 'nonsense', '', `/${'x'.repeat(300)}`])(
    'the unknown message type %j is refused',
    async (type) => {
      expect(await codeOf(`messageFee(type: "${type}") { type }`)).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'type' });
    },
  );

  it.each([
    ['calculateTxFees(tx: "0x0011", gasAdjustment: 0) { estimatedGas }', 'gasAdjustment'],
    ['calculateTxFees(tx: "0x0011", gasAdjustment: 101) { estimatedGas }', 'gasAdjustment'],
    ['calculateTxFees(tx: "0xZZ") { estimatedGas }', 'tx'],
  ])('%s is refused', async (field, argument) => {
    expect(await codeOf(field)).toMatchObject({ code: 'BAD_USER_INPUT', argument });
  });

  it('a transaction that the chain cannot decode fails with the log of the chain', async () => {
    expect(await codeOf('calculateTxFees(tx: "0x0011") { estimatedGas }')).toMatchObject({ code: 'ABCI_QUERY_FAILED' });
  });

  it('validators have the monikers of the staking module', async () => {
    const { body } = await stack.ask(
      '{ validators { nodes { moniker operatorAddress } } validator(address: "00112233445566778899AABBCCDDEEFF00112233") { moniker } }',
    );
    expect(body.errors).toBeUndefined();
    const { validators, validator } = body.data as {
      validators: { nodes: { moniker: string; operatorAddress: string }[] };
      validator: unknown;
    };
    expect(validators.nodes).toHaveLength(1);
    expect(validators.nodes[0]!.operatorAddress).toMatch(/^tpvaloper1/);
    expect(validators.nodes[0]!.moniker).not.toBe('');
    expect(validator).toBeNull();
  });
});
