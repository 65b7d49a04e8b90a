import { ProofOps } from 'cosmjs-types/tendermint/crypto/proof';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { type RpcRow, readRecording } from '../recordings/recordings.ts';
import { startStack } from '../support/stack.ts';
import { nodeOperations } from './nodeOperations.ts';
import { createReplayNode } from './replayNode.ts';

const HEAD = 1105n;
const node = await createReplayNode({ head: HEAD });
const stack = await startStack([node.url]);
const momentary = await createReplayNode({ head: HEAD, pending: true });
const inMoment = await startStack([momentary.url]);
const bare = await createReplayNode({ head: 1342n, earliestState: 1332n });
const withoutIndex = await startStack([bare.url]);
afterAll(async () => {
  await Promise.all([stack, inMoment, withoutIndex].map((each) => each.close()));
  await Promise.all([node, momentary, bare].map((each) => each.close()));
});

/** Rows that are no one operation with the recorded outcome, and why. */
const special: readonly (readonly [RegExp, string])[] = [
  [/\(uri\)$|^(unknown path|index|HEAD|POST form)$/, 'the same call in the form of a URI, which GraphQL has not'],
  [
    /^batch|batch$|^(broken json|empty body|body too large|params as|no params|.* id$|notification|version 1|text\/plain)/,
    'JSON-RPC itself',
  ],
  [/^(height as a number|null height|unknown param|unknown method|subscribe over http|unsafe method)/, 'JSON-RPC itself'],
  [/^broadcast_/, 'a mutation'],
  [/^(validators|consensus_params) latest$|^validators latest\+1$/, 'the node answers for latest + 1: "of the block read at"'],
  [/^(validators|consensus_params) height 99999999$/, 'the node counts latest + 1: "above the newest"'],
  [/page (2 of 1|too high|0)$|bad order$/, 'lists have cursors and `reverse`: there is no page number or order to get wrong'],
  [/^abci_query (unknown path|empty path|p2p filter)$/, 'a path outside of the allowed ones is refused here: "paths"'],
  [/^abci_query (hex with 0x|odd hex)$/, 'the rule for plain data is ours: "data"'],
  [/^abci_query negative height$/, 'refused here in the words that the node has for module paths: "data"'],
  [/^genesis$/, 'whole, where it has one piece: "the genesis in pieces"'],
  [/^check_tx (not base64|empty)$/, 'refused here: "transactions that are none"'],
  [/^check_tx good, a second time/, 'the same bytes again in the same moment'],
  [/^tx right after sync$/, 'the absence of a moment: the index has it by now'],
];

interface Call {
  readonly method: string;
  readonly params: JsonObject;
}

const rows = readRecording('rpc').filter(({ name }) => !special.some(([which]) => which.test(name)));
const callOf = ({ request }: RpcRow): Call => request as unknown as Call;
const replyOf = ({ response }: RpcRow): { result?: JsonObject; error?: { data: string } } => response as never;
const rowNamed = (name: string): RpcRow => readRecording('rpc').find((row) => row.name === name)!;

/** Whatever the graph is asked for in a row: on the node of the moment where it is of one. */
async function ask(
  row: RpcRow,
): Promise<{ answer: JsonValue | undefined; errors: unknown; codes: string[]; messages: string[] }> {
  const { method, params } = callOf(row);
  const { document, variables } = nodeOperations[method]!(params);
  const which = method === 'check_tx' || row.name.endsWith('while pending') ? inMoment : stack;
  const { body } = await which.ask(document, variables as Record<string, unknown>);
  if (which.masked.length > 0) throw which.masked[0];
  const data = body.data as { answer?: JsonValue } | null | undefined;
  return {
    answer: data?.answer,
    errors: body.errors,
    codes: (body.errors ?? []).map(({ extensions }) => String(extensions.code)),
    messages: (body.errors ?? []).map(({ message }) => message),
  };
}

describe('every route of the node', () => {
  const succeeded = rows.filter((row) => replyOf(row).result !== undefined);
  const failed = rows.filter((row) => replyOf(row).error !== undefined);

  it('has rows enough of each', () => {
    expect(new Set(succeeded.map((row) => callOf(row).method))).toEqual(new Set(Object.keys(nodeOperations)));
    expect(failed.length).toBeGreaterThan(15);
  });

  it.each(succeeded.map((row) => [row.name, row] as const))('gives each value of "%s"', async (_, row) => {
    const { method, params } = callOf(row);
    const { expected } = nodeOperations[method]!(params);
    const { answer, errors } = await ask(row);
    expect(errors).toBeUndefined();
    expect(answer).toEqual(expected(replyOf(row).result!));
  });

  it.each(failed.map((row) => [row.name, row] as const))('says why not for "%s"', async (_, row) => {
    const { answer, codes, messages } = await ask(row);
    expect(answer ?? null).toBeNull();
    const { data } = replyOf(row).error!;
    if (/^tx \([0-9A-F]{64}\) not found$/.test(data)) {
      expect(codes).toEqual([]);
      return;
    }
    expect(messages.join()).toContain(data);
    const code = /must be less/.test(data)
      ? 'HEIGHT_NOT_YET_AVAILABLE'
      : /^there are/.test(data)
        ? 'RPC_ERROR'
        : 'BAD_USER_INPUT';
    expect(codes).toEqual([code]);
  });

  it('asks nothing that was not recorded', () => {
    // Behind the index the newest blocks are looked into, of which the last but one was not recorded.
    expect(new Set(node.unrecorded)).toEqual(new Set([`block {"height":"${node.head - 1n}"}`]));
    expect(momentary.unrecorded).toEqual([]);
  });
});

describe('every recorded transaction', () => {
  it('is signed by those whose sequences it used up, and paid by whom its events name', async () => {
    const { body } = await stack.ask(`{ transactions(query: "tx.height > 0", first: 100) { totalCount nodes {
      hash code signers { address } fee { payer { address } granter { address } } messages { type } events(type: "tx") { attributes { key value } }
    } } }`);
    expect(body.errors).toBeUndefined();
    interface Row {
      readonly hash: string;
      readonly code: number;
      readonly signers: readonly { readonly address: string }[];
      readonly fee: { readonly payer: { readonly address: string }; readonly granter: { readonly address: string } | null };
      readonly messages: readonly unknown[];
      readonly events: readonly { readonly attributes: readonly { readonly key: string; readonly value: string }[] }[];
    }
    const { transactions } = body.data as { transactions: { totalCount: string; nodes: Row[] } };
    const known = readRecording('transactions').filter(({ height }) => height !== undefined && Number(height) <= 195);
    expect(transactions.totalCount).toBe(String(new Set(known.map(({ hash }) => hash)).size));
    let told = 0;
    for (const { hash, signers, fee, messages, events } of transactions.nodes) {
      expect(messages.length, hash).toBeGreaterThan(0);
      const values = (name: string): string[] =>
        events.flatMap(({ attributes }) => attributes.filter(({ key }) => key === name).map(({ value }) => value));
      const used = values('acc_seq').map((value) => value.split('/')[0]);
      if (used.length === 0) continue;
      told += 1;
      expect(
        signers.map(({ address }) => address),
        hash,
      ).toEqual(used);
      const [payer] = values('fee_payer');
      expect(payer, hash).toBe(fee.granter?.address ?? fee.payer.address);
    }
    expect(told).toBeGreaterThan(80);
  });
});

describe('where the graph differs from the node on purpose', () => {
  const askText = async (text: string, on = stack): Promise<{ data: JsonObject | null; code: unknown; message: unknown }> => {
    const { body } = await on.ask(text);
    const [error] = body.errors ?? [];
    return { data: body.data as JsonObject | null, code: error?.extensions.code, message: error?.message };
  };

  it('validators and parameters are of the block read at: the height is always sent', async () => {
    node.reset();
    await askText('{ validators { totalCount } consensusParams { block { maxGas } } }');
    const sent = node.calls.filter(({ method }) => method === 'validators' || method === 'consensus_params');
    expect(sent.map(({ params }) => params.height)).toEqual(['1105', '1105']);
    for (const field of ['validators(height: 1106) { totalCount }', 'consensusParams(height: 1106) { block { maxGas } }']) {
      expect(await askText(`{ ${field} }`)).toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE' });
    }
  });

  it('above the newest is one code for all, with both heights', async () => {
    const { body } = await stack.ask('{ validators(height: 99999999) { totalCount } }');
    expect(body.errors?.[0]?.extensions).toEqual({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      height: '99999999',
      latestHeight: '1105',
    });
  });

  it.each([
    '/cosmos.tx.v1beta1.Service/BroadcastTx',
    '/nope',
    '',
    '/p2p/filter/addr/1.2.3.4',
    '../',
    '/store/acc/key\r\nX: y',
    `/store/${'a'.repeat(300)}/key`,
  ])('paths: refuses %j without asking', async (path) => {
    node.reset();
    expect(await askText(`{ abciQuery(path: ${JSON.stringify(path)}, data: "") { code } }`)).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    expect(node.calls.some(({ method }) => method === 'abci_query')).toBe(false);
  });

  it('data: hex with or without 0x, raw characters in quotes of its own; no height below 0', async () => {
    const path = '/cosmos.group.v1.Query/Proposal';
    const value = async (data: string, height = 566): Promise<unknown> => {
      const { data: answer } = await askText(
        `{ answer: abciQuery(path: "${path}", data: ${JSON.stringify(data)}, height: ${height}) { value } }`,
      );
      return (answer?.answer as JsonObject | null)?.value;
    };
    const plain = await value('0803');
    expect(plain).toMatch(/^0A/);
    expect([await value('0x0803'), await value('"\u0008\u0003"')]).toEqual([plain, plain]);
    for (const bad of ['080', '0xZZ', 'abc"', '0X0803 ']) {
      expect(await askText(`{ abciQuery(path: "${path}", data: ${JSON.stringify(bad)}) { code } }`)).toMatchObject({
        code: 'BAD_USER_INPUT',
      });
    }
    expect(await askText(`{ abciQuery(path: "${path}", data: "0803", height: -1) { code } }`)).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'cannot query with height < 0; please provide a valid height',
    });
  });

  it.each(['abci_query store key with proof', 'abci_query store key absent with proof'])(
    'the proof of "%s" is the protobuf of its steps',
    async (name) => {
      const { response } = replyOf(rowNamed(name)).result as { response: { proofOps: { ops: Record<string, string>[] } } };
      const { data } = callOf(rowNamed(name)).params;
      const { data: answer } = await askText(
        `{ answer: abciQuery(path: "/store/group/key", data: "${data}", height: 566, prove: true) { proof } }`,
      );
      const bytes = (text: string | undefined): Uint8Array => Buffer.from(text ?? '', 'base64');
      const ops = response.proofOps.ops.map((op) => ({ type: op.type!, key: bytes(op.key), data: bytes(op.data) }));
      const golden = Buffer.from(ProofOps.encode({ ops }).finish()).toString('hex').toUpperCase();
      expect((answer!.answer as JsonObject).proof).toBe(golden);
    },
  );

  it('the genesis in pieces is the whole one', async () => {
    const { data } = await askText('{ genesis { total data } }');
    const { total, data: piece } = data!.genesis as { total: string; data: string };
    expect(total).toBe('1');
    expect(JSON.parse(Buffer.from(piece, 'base64').toString())).toEqual(replyOf(rowNamed('genesis')).result!.genesis);
  });

  it.each([
    ['', /must be/],
    ['!!!', /must be/],
    ['0xZZ', /must be/],
    ['YWJj\n', /must be/],
    [Buffer.alloc(1_048_577, 1).toString('base64'), /^Tx too large\. Max size is 1048576, but got 1048577$/],
  ])('transactions that are none are refused without sending (%#)', async (tx, message) => {
    momentary.reset();
    const { body } = await inMoment.ask('query($tx: String!) { checkTx(tx: $tx) { code } }', { tx });
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(body.errors?.[0]?.message).toMatch(message);
    expect(momentary.calls.filter(({ method }) => method === 'check_tx')).toEqual([]);
  });

  it('without an index searches and transactions say so', async () => {
    const searches = ['transaction(hash: "00")', 'transactions(query: "tx.height=5")', 'blockSearch(query: "block.height=5")'];
    for (const text of searches.map((each) => each.replace('"00"', `"${'00'.repeat(32)}"`))) {
      const selection = text.startsWith('transaction(') ? '{ hash }' : '{ totalCount }';
      expect(await askText(`{ ${text} ${selection} }`, withoutIndex)).toMatchObject({ code: 'INDEX_UNAVAILABLE' });
    }
  });

  it('a pruned state is HEIGHT_PRUNED, also where the node answers code 0 and nothing', async () => {
    for (const prove of [false, true]) {
      const text = `{ abciQuery(path: "/store/group/key", data: "3000", height: 50, prove: ${prove}) { code } }`;
      expect(await askText(text, withoutIndex)).toMatchObject({ code: 'HEIGHT_PRUNED' });
    }
  });
});
