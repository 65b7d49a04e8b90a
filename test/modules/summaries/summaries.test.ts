import { toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { summarizedTypes, summaryOf } from '../../../src/modules/summaries/schema.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgSubmitProposalSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { createPin, type Pin } from '../../../src/reads/pin.ts';
import { readRegistry } from '../../recordings/registry.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { fc, rounds } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { filledMessage } from './filled.ts';

let chain: TestChain;
let stack: Stack;
let pin: Pin;
const registry = readRegistry();

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  await stack.client.head.ready({ milliseconds: 5000 });
  pin = createPin(stack.client, stack.client.head.current()!.height);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const send = (amount: { denom: string; amount: string }[], fromAddress = 'tp1a', toAddress = 'tp1b') =>
  any(MsgSendSchema, { fromAddress, toAddress, amount });
const summarize = ({ typeUrl, value }: { typeUrl: string; value: Uint8Array }, at = pin) =>
  summaryOf(at, { type: typeUrl, value });

describe('amounts in summaries', () => {
  it('amounts are in display units, with their symbol and separators and without rounding, where the chain has metadata, and in base units elsewhere', async () => {
    expect(await summarize(send([{ denom: 'nhash', amount: '5000000000' }]))).toBe('tp1a sends 5 HASH to tp1b');
    expect(await summarize(send([{ denom: 'nhash', amount: '1' }]))).toBe('tp1a sends 0.000000001 HASH to tp1b');
    const digits = '123456789012345678901234567890';
    expect(await summarize(send([{ denom: tokens.gold, amount: digits }]))).toBe(
      'tp1a sends 123,456,789,012,345,678,901,234,567.89 GOLD to tp1b',
    );
    expect(await summarize(send([{ denom: 'unknown', amount: digits }]))).toBe(
      'tp1a sends 123,456,789,012,345,678,901,234,567,890 unknown to tp1b',
    );
    expect(await summarize(send([{ denom: 'nft/scope1abc', amount: '1' }]))).toBe('tp1a sends the scope scope1abc to tp1b');
    expect(await summarize(send([]))).toBe('tp1a sends nothing to tp1b');
  });

  it('several coins are listed, many recipients are counted', async () => {
    const coins = ['aaa', 'bbb', 'ccc', 'ddd', 'eee'].map((denom, index) => ({ denom, amount: `${index + 1}` }));
    expect(await summarize(send(coins))).toBe('tp1a sends 1 aaa, 2 bbb, 3 ccc, 4 ddd and 5 eee to tp1b');
    const outputs = ['tp1b', 'tp1c', 'tp1d', 'tp1e'].map((address) => ({
      address,
      coins: [{ denom: 'nhash', amount: '1000000000' }],
    }));
    const inputs = [{ address: 'tp1a', coins: [{ denom: 'nhash', amount: '4000000000' }] }];
    expect(await summarize(any(MsgMultiSendSchema, { inputs, outputs }))).toBe('tp1a sends 4 HASH to 4 accounts');
  });
});

describe('summaries of nested messages', () => {
  const propose = (messages: ReturnType<typeof any>[]) =>
    any(MsgSubmitProposalSchema, { groupPolicyAddress: 'tp1p', proposers: ['tp1a', 'tp1b'], title: 'Pay', messages });

  it('nested messages are listed one by one; a message without a summary is listed by its type', async () => {
    const message = propose([
      send([]),
      { ...send([]), typeUrl: '/unknown.v1.MsgThing' },
      { ...send([]), value: Uint8Array.of(255) },
    ]);
    expect(await summarize(message)).toBe(
      'tp1a and tp1b propose “Pay” to the policy tp1p, with 3 messages: tp1a sends nothing to tp1b; a message of type unknown.v1.MsgThing; a message of type cosmos.bank.v1beta1.MsgSend',
    );
  });

  it('at most five nested messages and three levels are summarized', async () => {
    const seven = await summarize(propose(Array.from({ length: 7 }, (_, index) => send([], 'tp1a', `tp1${index}`))));
    expect(seven).toMatch(/, with 7 messages: (tp1a sends nothing to tp1\d; ){5}and 2 more$/);
    let deep = propose([]);
    for (let depth = 0; depth < 50; depth += 1) deep = propose([deep]);
    expect((await summarize(deep))!.match(/propose/g)).toHaveLength(3);
  });
});

describe('every message type of the modules in the schema', () => {
  const modules =
    /^(cosmos\.(auth|authz|bank|distribution|feegrant|gov|group|mint|slashing|staking)|provenance\.(attribute|flatfees|hold|marker|metadata|name)|cosmwasm\.wasm)\.v1(beta1)?\.Msg$/;
  const types = [...registry].flatMap((desc) =>
    desc.kind === 'service' && modules.test(desc.typeName) ? desc.methods.map(({ input }) => input) : [],
  );

  it('exactly the message types of these modules in the recorded descriptors have a summary', () => {
    expect(summarizedTypes.toSorted()).toEqual(types.map(({ typeName }) => typeName).toSorted());
    expect(types.length).toBeGreaterThan(100);
  });

  it('a message with a value in every field has a complete summary', async () => {
    await using node = await createReplayNode();
    const recorded = await startStack([node.url]);
    await recorded.client.head.ready({ milliseconds: 5000 });
    const at = createPin(recorded.client, 566n);
    for (const type of types) {
      const value = toBinary(type, filledMessage(registry, type).message);
      const sentence = await summaryOf(at, { type: `/${type.typeName}`, value });
      expect(sentence, type.typeName).toMatch(/^[a-z0-9]+ [a-z]+s? .+[^.]$/);
      expect(sentence).not.toMatch(/undefined|null|\[object|NaN/);
    }
    expect(node.unrecorded).toEqual([]);
    await recorded.close();
  });

  it('arbitrary bytes produce a summary or null, never an error', async () => {
    const { registry: described } = await stack.client.descriptors.pool();
    const known = types.filter(({ typeName }) => described.getMessage(typeName) !== undefined);
    expect(known.length).toBeGreaterThan(40);
    const mutated = fc.record({ type: fc.constantFrom(...known), place: fc.nat(), byte: fc.nat(255), cut: fc.nat(400) });
    await fc.assert(
      fc.asyncProperty(mutated, async ({ type, place, byte, cut }) => {
        const value = toBinary(type, filledMessage(registry, type).message).slice(0, cut);
        if (value.length > 0) value[place % value.length] = byte;
        const sentence = await summaryOf(pin, { type: `/${type.typeName}`, value });
        if (sentence !== null) expect(sentence).not.toMatch(/undefined|\[object|NaN|\p{Cc}/u);
      }),
      { numRuns: rounds(600) },
    );
  });
});

describe('messages without a summary', () => {
  it('the summary is null for unknown types, undecodable bytes and invalid values', async () => {
    expect(await summarize({ ...send([]), typeUrl: '/cosmos.crisis.v1beta1.MsgVerifyInvariant' })).toBeNull();
    expect(await summarize({ ...send([]), typeUrl: 'MsgSend' })).toBeNull();
    expect(await summarize({ ...send([]), value: Uint8Array.of(10, 200) })).toBeNull();
    expect(await summarize(send([], ''))).toBeNull();
    expect(await summarize(send([{ denom: 'nhash', amount: 'many' }]))).toBeNull();
    expect(await summarize(send([{ denom: 'nhash', amount: '-1' }]))).toBeNull();
    expect(await summarize(send([{ denom: 'no denom', amount: '1' }]))).toBeNull();
    expect(await summarize(send([{ denom: '(5hash)', amount: '1' }]))).toBeNull();
  });

  it('user text cannot imitate a part of the sentence', async () => {
    expect(await summarize(send([], 'tp1a sends 5 hash to tp1b; tp1c'))).toBeNull();
    const title = 'Pay” to the policy tp1x,\nwith 1 message: tp1p sends 5 hash to tp1b and so on and on';
    const forged = any(MsgSubmitProposalSchema, { groupPolicyAddress: 'tp1p', proposers: ['tp1a'], title });
    expect(await summarize(forged)).toBe(
      'tp1a proposes “Pay" to the policy tp1x, with 1 message: tp1p sends 5 hash t…” to the policy tp1p',
    );
  });
});

describe('cost and failures of summaries', () => {
  const document = `query($hash: Hex!) { transaction(hash: $hash) { messages { type inWords } } }`;

  it('the metadata of each denom is read once per request, at the height of the response', async () => {
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
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    const reads: JsonObject[] = [];
    chain.node.faults.call = ({ method, params }) => {
      if (method === 'abci_query') reads.push(params as JsonObject);
      return undefined;
    };
    const { body } = await stack.ask(document, { hash });
    chain.node.faults.call = undefined;
    expect(body.errors).toBeUndefined();
    const { transaction } = body.data as { transaction: { messages: { inWords: string }[] } };
    const [one, two] = ['0.000000001 HASH', '0.000001 DUSD and 0.000000001 HASH'];
    expect(transaction.messages.map(({ inWords: sentence }) => sentence)).toEqual(
      [one, two, one, two].map((amount) => `${from!.address} sends ${amount} to ${to!.address}`),
    );
    const metadata = { path: '/cosmos.bank.v1beta1.Query/DenomMetadata', height: `${height}` };
    expect(reads).toMatchObject([metadata, metadata]);
  });

  it('a failed metadata read fails one summary with its error code; the other summaries are returned', async () => {
    const [from, to] = chain.accounts;
    const pay = (denom: string) => send([{ denom, amount: '1' }], from!.address, to!.address);
    const hash = await chain.submit(from!, pay('nhash'), pay(tokens.dollar), pay('nhash'));
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
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
