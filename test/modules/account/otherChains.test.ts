import { bech32 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;
const { alice } = readRecording('world').addr;

/** The same bytes with another prefix. */
const as = (prefix: string) => bech32.encode(prefix, bech32.decode(alice as 'tp1', 128).words, 128);

beforeAll(async () => {
  node = await createReplayNode({ nothingHeld: true });
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

const bounds = {
  cosmos: 'an address of an account of this chain (`tp1…`); `cosmos1…` is an address of another chain',
  pb: 'an address of an account of this chain (`tp1…`); `pb1…` is an address of another chain',
  cosmosvaloper: 'an address of an account of this chain (`tp1…`); `cosmosvaloper1…` is an address of another chain',
  tpvaloper: `an address of an account of this chain (\`tp1…\`); \`tpvaloper1…\` is a validator, whose account is \`${alice}\``,
  tpvalcons: `an address of an account of this chain (\`tp1…\`); \`tpvalcons1…\` is the consensus key of a validator, whose address is \`${Buffer.from(
    bech32.fromWords(bech32.decode(alice as 'tp1', 128).words),
  )
    .toString('hex')
    .toUpperCase()}\` in hexadecimal`,
} as const;
const prefixes = Object.keys(bounds) as readonly (keyof typeof bounds)[];

/** Fields of the graph that take the address of an account: the field, and the name of the argument in errors. */
const fields = [
  ['account(address: $a) { address }', 'address'],
  ['account(address: $a) { balances { nodes { denom } } }', 'address'],
  ['groupsByMember(address: $a) { nodes { id } }', 'address'],
  ['groupsByAdmin(admin: $a) { nodes { id } }', 'admin'],
  ['votesByVoter(voter: $a) { nodes { proposalId } }', 'voter'],
  ['voteByProposalVoter(proposalId: 3, voter: $a) { option }', 'voter'],
  ['groupPolicy(address: $a) { address }', 'address'],
  ['groupPoliciesByAdmin(admin: $a) { nodes { address } }', 'admin'],
  ['proposalsByGroupPolicy(address: $a) { nodes { id } }', 'address'],
  ['attributes(account: $a) { nodes { name } }', 'account'],
  ['attribute(account: $a, name: "x.pb") { nodes { name } }', 'account'],
  ['attributeScan(account: $a, suffix: "pb") { nodes { name } }', 'account'],
  ['accountData(account: $a)', 'account'],
  [`feeGrant(granter: $a, grantee: "${alice}") { granter { address } }`, 'granter'],
  ['transfers(account: $a) { nodes { kind } }', 'account'],
  ['proposalRecords(filter: { missedBy: $a }) { nodes { id } }', 'filter.missedBy'],
] as const;

describe('an address of another chain, or of a validator', () => {
  it.each(some(fields, 3))('is BAD_USER_INPUT with both prefixes: %s', async (field, argument) => {
    for (const prefix of prefixes) {
      const value = as(prefix);
      const { body } = await stack.ask(`query ($a: String!) { ${field} }`, { a: value });
      const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value;
      expect(body.errors?.[0]).toMatchObject({
        message: `\`${argument}\` must be ${bounds[prefix]}.`,
        extensions: { code: 'BAD_USER_INPUT', argument, value: shown, bound: bounds[prefix] },
      });
    }
  });

  it.each(['member', 'groupPolicyAddress'])('is BAD_USER_INPUT in the subscription proposalUpdated: %s', async (argument) => {
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({
        query: `subscription ($a: String!) { proposalUpdated(${argument}: $a) { reasons } }`,
        variables: { a: as('cosmos') },
      }),
    });
    // A stream that is refused ends at once.
    expect(await response.text()).toContain(JSON.stringify(`\`${argument}\` must be ${bounds.cosmos}.`));
  });

  it.runIf(runsAll)('is 400 in /v1 and in the documented REST; /rest leaves the answer to the chain', async () => {
    for (const prefix of prefixes) {
      const value = as(prefix);
      for (const path of [`/v1/accounts/${value}`, `/v1/balances/${value}`, `/v1/transfers?address=${value}`]) {
        const response = await fetch(stack.server.url + path);
        const body = await response.json();
        expect([path, response.status, body]).toMatchObject([path, 400, { code: 'BAD_USER_INPUT', bound: bounds[prefix] }]);
      }
      for (const path of [`/cosmos/group/v1/groups_by_member/${value}`, `/cosmos/bank/v1beta1/balances/${value}`]) {
        const response = await fetch(stack.server.url + path);
        const body = (await response.json()) as { message: string };
        expect([path, response.status, body.message]).toEqual([path, 400, expect.stringContaining(bounds[prefix])]);
      }
    }
  });

  it('an address of this chain is accepted, in capitals too, and so is that of a scope', async () => {
    const scope = 'scope1qqenxvenyg3yxvuyg3242424242spmt0np';
    for (const value of [alice, alice.toUpperCase(), scope]) {
      const { body } = await stack.ask('query ($a: String!) { account(address: $a) { address } }', { a: value });
      expect(body).toMatchObject({ data: { account: { address: value.toLowerCase() } } });
    }
  });
});
