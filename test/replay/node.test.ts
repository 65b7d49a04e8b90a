import { ProofOps } from 'cosmjs-types/tendermint/crypto/proof';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { type RpcRow, readRecording } from '../recordings/recordings.ts';
import { some } from '../support/atRandom.ts';
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

/**
 * Rows that are not one operation with the recorded result, with the reason. Quoted titles name the test that covers the row.
 */
const special: readonly (readonly [RegExp, string])[] = [
  [/\(uri\)$|^(unknown path|index|HEAD|POST form)$/, 'the URI form of a call, which GraphQL lacks'],
  [
    /^batch|batch$|^(broken json|empty body|body too large|params as|no params|.* id$|notification|version 1|text\/plain)/,
    'JSON-RPC itself',
  ],
  [/^(height as a number|null height|unknown param|unknown method|subscribe over http|unsafe method)/, 'JSON-RPC itself'],
  [/^broadcast_/, 'a mutation'],
  [
    /^(validators|consensus_params) latest$|^validators latest\+1$/,
    'the node answers for latest + 1: "at the height of the operation"',
  ],
  [/^(validators|consensus_params) height 99999999$/, 'the node allows latest + 1: "above the newest height"'],
  [/page (2 of 1|too high|0)$|bad order$/, 'lists have cursors and `reverse` instead of page numbers and orders'],
  [/^abci_query (unknown path|empty path|p2p filter)$/, 'Stele refuses paths outside its allowlist: "paths"'],
  [/^abci_query (hex with 0x|odd hex)$/, 'Stele has its own rule for plain data: "data"'],
  [/^abci_query negative height$/, 'Stele refuses it with the text that the node has for module paths: "data"'],
  [/^genesis$/, 'returned as a whole if it has one chunk: "the genesis in chunks"'],
  [/^check_tx (not base64|empty)$/, 'refused by Stele: "malformed transactions"'],
  [/^check_tx good, a second time/, 'the same transaction again at the same time'],
  [/^tx right after sync$/, 'a temporary absence: the index has the transaction by now'],
];

interface Call {
  readonly method: string;
  readonly params: JsonObject;
}

const rows = readRecording('rpc').filter(({ name }) => !special.some(([which]) => which.test(name)));
const callOf = ({ request }: RpcRow): Call => request as unknown as Call;
const replyOf = ({ response }: RpcRow): { result?: JsonObject; error?: { data: string } } => response as never;
const rowNamed = (name: string): RpcRow => readRecording('rpc').find((row) => row.name === name)!;

/** Runs the operation of a row. A row that was valid only briefly runs against the node with the pending transaction. */
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

  it('the recordings have enough rows', () => {
    expect(new Set(succeeded.map((row) => callOf(row).method))).toEqual(new Set(Object.keys(nodeOperations)));
    expect(failed.length).toBeGreaterThan(15);
  });

  it.each(some(succeeded, 3).map((row) => [row.name, row] as const))('returns each value of "%s"', async (_, row) => {
    const { method, params } = callOf(row);
    const { expected } = nodeOperations[method]!(params);
    const { answer, errors } = await ask(row);
    expect(errors).toBeUndefined();
    expect(answer).toEqual(expected(replyOf(row).result!));
  });

  it.each(failed.map((row) => [row.name, row] as const))('returns the error of "%s"', async (_, row) => {
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

  it('requests nothing that was not recorded', () => {
    // A search also reads the newest blocks, which the index may lack. The second newest block was not recorded.
    expect(new Set(node.unrecorded)).toEqual(new Set([`block {"height":"${node.head - 1n}"}`]));
    expect(momentary.unrecorded).toEqual([]);
  });
});

describe('every recorded transaction', () => {
  it('has the signers whose sequences increased, and the fee payer in its events', async () => {
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
    let checked = 0;
    for (const { hash, signers, fee, messages, events } of transactions.nodes) {
      expect(messages.length, hash).toBeGreaterThan(0);
      const values = (name: string): string[] =>
        events.flatMap(({ attributes }) => attributes.filter(({ key }) => key === name).map(({ value }) => value));
      const used = values('acc_seq').map((value) => value.split('/')[0]);
      if (used.length === 0) continue;
      checked += 1;
      expect(
        signers.map(({ address }) => address),
        hash,
      ).toEqual(used);
      const [payer] = values('fee_payer');
      expect(payer, hash).toBe(fee.granter?.address ?? fee.payer.address);
    }
    expect(checked).toBeGreaterThan(80);
  });
});

describe('intended differences from the node', () => {
  const askText = async (text: string, on = stack): Promise<{ data: JsonObject | null; code: unknown; message: unknown }> => {
    const { body } = await on.ask(text);
    const [error] = body.errors ?? [];
    return { data: body.data as JsonObject | null, code: error?.extensions.code, message: error?.message };
  };

  it('validators and parameters are read at the height of the operation, which is always sent', async () => {
    node.reset();
    await askText('{ validators { totalCount } consensusParams { block { maxGas } } }');
    const sent = node.calls.filter(({ method }) => method === 'validators' || method === 'consensus_params');
    expect(sent.map(({ params }) => params.height)).toEqual(['1105', '1105']);
    for (const field of ['validators(height: 1106) { totalCount }', 'consensusParams(height: 1106) { block { maxGas } }']) {
      expect(await askText(`{ ${field} }`)).toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE' });
    }
  });

  it('a height above the newest height has the same error code everywhere, with both heights', async () => {
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
  ])('paths: %j is refused without a read', async (path) => {
    node.reset();
    expect(await askText(`{ abciQuery(path: ${JSON.stringify(path)}, data: "") { code } }`)).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    expect(node.calls.some(({ method }) => method === 'abci_query')).toBe(false);
  });

  it('data: hex with or without 0x, or raw characters in double quotes; a negative height is refused', async () => {
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
    'the proof of "%s" is the protobuf encoding of its steps',
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

  it('the genesis in chunks equals the whole genesis', async () => {
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
  ])('malformed transactions are refused and not sent (%#)', async (tx, message) => {
    momentary.reset();
    const { body } = await inMoment.ask('query($tx: String!) { checkTx(tx: $tx) { code } }', { tx });
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(body.errors?.[0]?.message).toMatch(message);
    expect(momentary.calls.filter(({ method }) => method === 'check_tx')).toEqual([]);
  });

  it('searches and transactions fail with INDEX_UNAVAILABLE if no node has an index', async () => {
    const searches = ['transaction(hash: "00")', 'transactions(query: "tx.height=5")', 'blockSearch(query: "block.height=5")'];
    for (const text of searches.map((each) => each.replace('"00"', `"${'00'.repeat(32)}"`))) {
      const selection = text.startsWith('transaction(') ? '{ hash }' : '{ totalCount }';
      expect(await askText(`{ ${text} ${selection} }`, withoutIndex)).toMatchObject({ code: 'INDEX_UNAVAILABLE' });
    }
  });

  it('a pruned state is HEIGHT_PRUNED, also if the node returns code 0 without a value', async () => {
    for (const prove of [false, true]) {
      const text = `{ abciQuery(path: "/store/group/key", data: "3000", height: 50, prove: ${prove}) { code } }`;
      expect(await askText(text, withoutIndex)).toMatchObject({ code: 'HEIGHT_PRUNED' });
    }
  });
});
