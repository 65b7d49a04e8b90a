import { QueryProposalResponse } from 'cosmjs-types/cosmos/group/v1/query';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/group/v1/tx';
import { Proposal } from 'cosmjs-types/cosmos/group/v1/types';
import { MsgExecuteContract, MsgMigrateContract } from 'cosmjs-types/cosmwasm/wasm/v1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const { alice, bob } = readRecording('world').addr;
const contract = 'tp14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9sv6x3ll';

const execute = (msg: string, funds = [{ denom: 'goldcoin', amount: '1500' }]): Any =>
  Any.fromPartial({
    typeUrl: '/cosmwasm.wasm.v1.MsgExecuteContract',
    value: MsgExecuteContract.encode(
      MsgExecuteContract.fromPartial({ sender: alice, contract, msg: Buffer.from(msg), funds }),
    ).finish(),
  });
const migrate = Any.fromPartial({
  typeUrl: '/cosmwasm.wasm.v1.MsgMigrateContract',
  value: MsgMigrateContract.encode(
    MsgMigrateContract.fromPartial({ sender: alice, contract, codeId: 7n, msg: Buffer.from('{}') }),
  ).finish(),
});
const nested = Any.fromPartial({
  typeUrl: '/cosmos.group.v1.MsgSubmitProposal',
  value: MsgSubmitProposal.encode(
    MsgSubmitProposal.fromPartial({
      groupPolicyAddress: bob,
      proposers: [alice],
      title: 'Inner',
      messages: [execute('{"pause":{}}', [])],
    }),
  ).finish(),
});
const transfer = `{ "transfer": { "recipient": "${bob}", "id": 12345678901234567890 } }`;
const messages = [
  execute(transfer),
  execute('{'),
  execute('"approve"', []),
  execute(`${'['.repeat(20_000)}${']'.repeat(20_000)}`, []),
  migrate,
  nested,
];

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  const proposal = Proposal.fromPartial({
    id: 900n,
    title: 'Contracts',
    groupPolicyAddress: alice,
    proposers: [alice],
    messages,
  });
  const value = Buffer.from(QueryProposalResponse.encode(QueryProposalResponse.fromPartial({ proposal })).finish()).toString(
    'base64',
  );
  node = await createReplayNode({
    instead: (method, { path, height }) =>
      method === 'abci_query' && path === '/cosmos.group.v1.Query/Proposal'
        ? {
            result: {
              response: { code: 0, log: '', info: '', index: '0', key: null, value, proofOps: null, height, codespace: '' },
            } as never,
          }
        : undefined,
  });
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

interface Shown {
  readonly inWords: string | null;
  readonly json: { readonly msg?: unknown; readonly messages?: readonly { readonly msg: unknown }[] };
  readonly contract: { readonly address: string } | null;
}

describe('the messages of contracts in a proposal', () => {
  it('are JSON, are put into words, and link the contract', async () => {
    const { body } = await stack.ask('{ proposal(id: "900") { messages { inWords json contract { address } } } }');
    expect(body.errors).toBeUndefined();
    const shown = (body.data as { proposal: { messages: readonly Shown[] } }).proposal.messages;
    expect(shown.map(({ inWords }) => inWords?.replaceAll(alice, 'alice').replaceAll(contract, 'C'))).toEqual([
      `alice executes “transfer” of the contract C, with 1,500 goldcoin: recipient “${bob}” and id “12345678901234567890”`,
      'alice executes the contract C, with 1,500 goldcoin',
      'alice executes the contract C',
      'alice executes the contract C',
      'alice migrates the contract C to code 7',
      `alice proposes “Inner” to the policy ${bob}, with 1 message: alice executes “pause” of the contract C`,
    ]);
    expect(
      shown
        .map(({ json }) => (json.messages ?? [json])[0]!.msg)
        .map((msg) => (typeof msg === 'string' && msg.length > 20 ? 'base64' : msg)),
    ).toEqual(
      // A JavaScript number cannot hold the first integer.
      [{ transfer: { recipient: bob, id: '12345678901234567890' } }, 'ew==', 'approve', 'base64', {}, { pause: {} }],
    );
    expect(shown.map((each) => each.contract?.address ?? null)).toEqual([...Array<string>(5).fill(contract), null]);
  });

  it('read the same over the REST of a node', async () => {
    const response = await fetch(`${stack.server.url}/rest/cosmos/group/v1/proposal/900`);
    const { proposal } = (await response.json()) as { proposal: { messages: { msg: unknown; '@type': string }[] } };
    expect(response.status).toBe(200);
    expect(proposal.messages[4]).toMatchObject({ '@type': '/cosmwasm.wasm.v1.MsgMigrateContract', msg: {} });
    expect(proposal.messages[1]!.msg).toBe('ew==');
  });
});
