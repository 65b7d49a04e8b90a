import { toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { tokens } from '../../../src/devnet/app/world/tokens.ts';
import { inWords, toldTypes } from '../../../src/modules/summaries/summary.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgSubmitProposalSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { createPin, type Pin } from '../../../src/reads/pin.ts';
import { readRegistry } from '../../recordings/registry.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { fc } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { filledMessage } from './filled.ts';

let chain: TestChain;
let stack: Stack;
let pin: Pin;
const registry = readRegistry();

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready({ milliseconds: 5000 });
  pin = createPin(stack.client, stack.client.head.current()!.height);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const send = (amount: { denom: string; amount: string }[], fromAddress = 'tp1a', toAddress = 'tp1b') =>
  any(MsgSendSchema, { fromAddress, toAddress, amount });
const say = ({ typeUrl, value }: { typeUrl: string; value: Uint8Array }, at = pin) => inWords(at, { type: typeUrl, value });

describe('amounts', () => {
  it('are in display units, exactly, where the chain has metadata; else as they are', async () => {
    expect(await say(send([{ denom: 'nhash', amount: '5000000000' }]))).toBe('tp1a sends 5 hash to tp1b');
    expect(await say(send([{ denom: 'nhash', amount: '1' }]))).toBe('tp1a sends 0.000000001 hash to tp1b');
    const digits = '123456789012345678901234567890';
    expect(await say(send([{ denom: tokens.gold, amount: digits }]))).toBe(
      'tp1a sends 123456789012345678901234567.89 kilogold to tp1b',
    );
    expect(await say(send([{ denom: 'unknown', amount: digits }]))).toBe(`tp1a sends ${digits} unknown to tp1b`);
    expect(await say(send([{ denom: 'nft/scope1abc', amount: '1' }]))).toBe('tp1a sends the scope scope1abc to tp1b');
    expect(await say(send([]))).toBe('tp1a sends nothing to tp1b');
  });

  it('of several coins and several people', async () => {
    const coins = ['aaa', 'bbb', 'ccc', 'ddd', 'eee'].map((denom, index) => ({ denom, amount: `${index + 1}` }));
    expect(await say(send(coins))).toBe('tp1a sends 1 aaa, 2 bbb, 3 ccc, 4 ddd and 5 eee to tp1b');
    const outputs = ['tp1b', 'tp1c', 'tp1d', 'tp1e'].map((address) => ({
      address,
      coins: [{ denom: 'nhash', amount: '1000000000' }],
    }));
    const inputs = [{ address: 'tp1a', coins: [{ denom: 'nhash', amount: '4000000000' }] }];
    expect(await say(any(MsgMultiSendSchema, { inputs, outputs }))).toBe('tp1a sends 4 hash to 4 accounts');
  });
});

describe('messages within messages', () => {
  const propose = (messages: ReturnType<typeof any>[]) =>
    any(MsgSubmitProposalSchema, { groupPolicyAddress: 'tp1p', proposers: ['tp1a', 'tp1b'], title: 'Pay', messages });

  it('are told one by one, those that there are no words for by their type', async () => {
    const message = propose([
      send([]),
      { ...send([]), typeUrl: '/unknown.v1.MsgThing' },
      { ...send([]), value: Uint8Array.of(255) },
    ]);
    expect(await say(message)).toBe(
      'tp1a and tp1b propose “Pay” to the policy tp1p, with 3 messages: tp1a sends nothing to tp1b; a message of type unknown.v1.MsgThing; a message of type cosmos.bank.v1beta1.MsgSend',
    );
  });

  it('are told up to the fifth, and to a depth', async () => {
    const seven = await say(propose(Array.from({ length: 7 }, (_, index) => send([], 'tp1a', `tp1${index}`))));
    expect(seven).toMatch(/, with 7 messages: (tp1a sends nothing to tp1\d; ){5}and 2 more$/);
    let deep = propose([]);
    for (let depth = 0; depth < 50; depth += 1) deep = propose([deep]);
    expect((await say(deep))!.match(/propose/g)).toHaveLength(3);
  });
});

describe('every message of the modules of the graph', () => {
  const modules =
    /^(cosmos\.(auth|bank|feegrant|group|staking)|provenance\.(attribute|flatfees|hold|marker|metadata|name))\.v1(beta1)?\.Msg$/;
  const types = [...registry].flatMap((desc) =>
    desc.kind === 'service' && modules.test(desc.typeName) ? desc.methods.map(({ input }) => input) : [],
  );

  it('has words: those that the recorded chain describes, and no other', () => {
    expect(toldTypes.toSorted()).toEqual(types.map(({ typeName }) => typeName).toSorted());
    expect(types.length).toBeGreaterThan(80);
  });

  it('is told when all that it can hold is there', async () => {
    await using node = await createReplayNode();
    const recorded = await startStack([node.url]);
    await recorded.client.head.ready({ milliseconds: 5000 });
    const at = createPin(recorded.client, 566n);
    for (const type of types) {
      const value = toBinary(type, filledMessage(registry, type).message);
      const sentence = await inWords(at, { type: `/${type.typeName}`, value });
      expect(sentence, type.typeName).toMatch(/^[a-z0-9]+ (no longer |now )?[a-z]+s? .+[^.]$/);
      expect(sentence).not.toMatch(/undefined|null|\[object|NaN/);
    }
    expect(node.unrecorded).toEqual([]);
    await recorded.close();
  });

  it('of any bytes is told or not, and never fails', async () => {
    const { registry: described } = await stack.client.descriptors.pool();
    const known = types.filter(({ typeName }) => described.getMessage(typeName) !== undefined);
    expect(known.length).toBeGreaterThan(40);
    const mutated = fc.record({ type: fc.constantFrom(...known), place: fc.nat(), byte: fc.nat(255), cut: fc.nat(400) });
    await fc.assert(
      fc.asyncProperty(mutated, async ({ type, place, byte, cut }) => {
        const value = toBinary(type, filledMessage(registry, type).message).slice(0, cut);
        if (value.length > 0) value[place % value.length] = byte;
        const sentence = await inWords(pin, { type: `/${type.typeName}`, value });
        if (sentence !== null) expect(sentence).not.toMatch(/undefined|\[object|NaN|\p{Cc}/u);
      }),
      { numRuns: 600 },
    );
  });
});

describe('what cannot be told', () => {
  it('is null: other types, other bytes, and what makes no sense', async () => {
    expect(await say({ ...send([]), typeUrl: '/cosmos.gov.v1.MsgVote' })).toBeNull();
    expect(await say({ ...send([]), typeUrl: 'MsgSend' })).toBeNull();
    expect(await say({ ...send([]), value: Uint8Array.of(10, 200) })).toBeNull();
    expect(await say(send([], ''))).toBeNull();
    expect(await say(send([{ denom: 'nhash', amount: 'many' }]))).toBeNull();
    expect(await say(send([{ denom: 'nhash', amount: '-1' }]))).toBeNull();
    expect(await say(send([{ denom: 'no denom', amount: '1' }]))).toBeNull();
    expect(await say(send([{ denom: '(5hash)', amount: '1' }]))).toBeNull();
  });

  it('text that would pass for more of the sentence is not told, or stays within its quotes', async () => {
    expect(await say(send([], 'tp1a sends 5 hash to tp1b; tp1c'))).toBeNull();
    const title = 'Pay” to the policy tp1x,\nwith 1 message: tp1p sends 5 hash to tp1b and so on and on';
    const sly = any(MsgSubmitProposalSchema, { groupPolicyAddress: 'tp1p', proposers: ['tp1a'], title });
    expect(await say(sly)).toBe(
      'tp1a proposes “Pay" to the policy tp1x, with 1 message: tp1p sends 5 hash t…” to the policy tp1p',
    );
  });
});

describe('what words cost, and their failures', () => {
  const document = `query($hash: Hex!) { transaction(hash: $hash) { messages { type inWords } } }`;

  it('the metadata of each denom is read once for all of them, at the height of the answer', async () => {
    const [from, to] = chain.accounts;
    const message = (...denoms: string[]) =>
      send(
        denoms.map((denom) => ({ denom, amount: '1' })),
        from!.address,
        to!.address,
      );
    const both = message(tokens.dollar, 'nhash');
    const hash = await chain.submit(from!, message('nhash'), both, message('nhash'), both);
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 5000 });
    const asked: JsonObject[] = [];
    chain.node.faults.call = ({ method, params }) => {
      if (method === 'abci_query') asked.push(params as JsonObject);
      return undefined;
    };
    const { body } = await stack.ask(document, { hash });
    chain.node.faults.call = undefined;
    expect(body.errors).toBeUndefined();
    const { transaction } = body.data as { transaction: { messages: { inWords: string }[] } };
    const [one, two] = ['0.000000001 hash', '0.000001 dollar and 0.000000001 hash'];
    expect(transaction.messages.map(({ inWords: sentence }) => sentence)).toEqual(
      [one, two, one, two].map((amount) => `${from!.address} sends ${amount} to ${to!.address}`),
    );
    const metadata = { path: '/cosmos.bank.v1beta1.Query/DenomMetadata', height: `${height}` };
    expect(asked).toMatchObject([metadata, metadata]);
  });

  it('one that cannot be read fails alone, with the code of its failure', async () => {
    const [from, to] = chain.accounts;
    const pay = (denom: string) => send([{ denom, amount: '1' }], from!.address, to!.address);
    const hash = await chain.submit(from!, pay('nhash'), pay(tokens.dollar), pay('nhash'));
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });
    chain.node.faults.call = ({ params }) => {
      const data = Buffer.from(String((params as JsonObject | undefined)?.data ?? ''), 'hex').toString();
      return data.includes(tokens.dollar) ? { abci: { code: 6, codespace: 'sdk', log: 'out of order' } } : undefined;
    };
    const { body } = await stack.ask(document, { hash });
    chain.node.faults.call = undefined;
    expect(body.errors).toMatchObject([
      { path: ['transaction', 'messages', 1, 'inWords'], extensions: { code: 'ABCI_QUERY_FAILED' } },
    ]);
    const { transaction } = body.data as { transaction: { messages: { type: string; inWords: string | null }[] } };
    expect(transaction.messages.map(({ inWords: sentence }) => sentence !== null)).toEqual([true, false, true]);
  });
});
