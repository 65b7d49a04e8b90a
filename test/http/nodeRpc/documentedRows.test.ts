import { ProofOps } from 'cosmjs-types/tendermint/crypto/proof';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import type { RpcRow } from '../../recordings/recordings.ts';
import { some } from '../../support/atRandom.ts';
import { parsed, rowNamed, rpcRows, sendRow, startRowServers } from './rows.ts';

const servers = await startRowServers();
afterAll(() => servers.close());

interface Expected {
  readonly status: number;
  readonly body: JsonValue;
}

interface RpcReply extends JsonObject {
  readonly result?: JsonObject;
  readonly error?: { code: number; message: string; data?: string };
}

const hex = (base64: JsonValue | undefined): string =>
  Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64')
    .toString('hex')
    .toUpperCase();

/** A proof in the documented encoding, by the encoder of another library. */
function proofOf(proofOps: JsonValue | undefined): string {
  const { ops = [] } = (proofOps ?? {}) as { ops?: { type: string; key: string; data: string }[] };
  const bytes = ops.map(({ type, key, data }) => ({
    type,
    key: Buffer.from(key, 'base64'),
    data: Buffer.from(data, 'base64'),
  }));
  return Buffer.from(ProofOps.encode({ ops: bytes }).finish())
    .toString('hex')
    .toUpperCase();
}

/** Converts the node's result to the documented names and encodings. */
function resultImage(method: string, result: JsonObject): JsonObject {
  const response = result.response as JsonObject;
  if (method === 'abci_info') {
    const { data, version, app_version = '0', last_block_height, last_block_app_hash } = response;
    return { response: { data, version, app_version, last_block_height, last_block_app_hash: hex(last_block_app_hash) } };
  }
  if (method === 'abci_query') {
    const { log, height, proofOps, value, key, index, code, info, codespace } = response;
    const bytes = { proof: proofOf(proofOps), value: hex(value), key: hex(key) };
    return { response: { log, height, ...bytes, index, code: String(code), info, codespace } };
  }
  return method === 'broadcast_tx_commit' ? { ...result, deliver_tx: result.tx_result } : result;
}

const methodOf = ({ request, via }: RpcRow): string =>
  via.startsWith('POST / ') || via === 'POST /'
    ? String((request as JsonObject | undefined)?.method ?? '')
    : (/\/(\w*)/.exec(via)?.[1] ?? '');

function replyImage(method: string, { jsonrpc, id, result, error }: RpcReply): JsonObject {
  const common = { jsonrpc, ...(id !== undefined && { id }) };
  if (error !== undefined) return { ...common, error: error.data ?? error.message };
  return { ...common, result: resultImage(method, result ?? {}), error: '' };
}

/** Converts the recorded response of a node to that of the root paths. */
function imageOf(row: RpcRow): Expected {
  const { response, status } = row;
  if (typeof response === 'string') return { status, body: response };
  if (Array.isArray(response)) return { status, body: response.map((each) => replyImage('', each as RpcReply)) };
  const reply = response as unknown as RpcReply;
  const isOurs = reply.error?.code === -32602 || reply.error?.code === -32700;
  return { status: isOurs ? 400 : status, body: replyImage(methodOf(row), reply) };
}

function refused(error: string, { status = 400, id = 1 }: { status?: number; id?: number | null } = {}): Expected {
  return { status, body: { jsonrpc: '2.0', ...(id !== null && { id }), error } };
}

const whole = 'an integer from -9223372036854775808 to 9223372036854775807, in decimal';
const paths = '`path` must be `/package.Service/Method`, `/store/<name>/key`, `/store/<name>/subspace` or `/app/version`.';
const txRule = '`tx` must be `0x` and hexadecimal digits, base64, or text in double quotes';
const txUriRule = '`tx` must be `0x` and hexadecimal digits, or text in double quotes';
const like = (name: string): Expected => imageOf(rowNamed(name));

/** Rows to which the root paths respond by their own rules, with the response. */
function ownRule({ name }: RpcRow): Expected | undefined {
  const [, latest] = /^(\w+) height 0$/.exec(name) ?? [];
  // The default height is 0, the latest.
  if (latest !== undefined) return like(`${latest} latest`);
  const [, sent] = /^(broadcast_tx_\w+|check_tx) (?:empty|missing \(uri\)|not base64|bad hex \(uri\))$/.exec(name) ?? [];
  if (sent !== undefined) {
    // T27, T28: rejected with the name of the argument, and not sent.
    if (name.endsWith(' empty')) return refused('`tx` must not be empty');
    if (name.endsWith('not base64')) return refused(txRule);
    if (name.endsWith('missing (uri)')) return refused('`tx` is required', { id: -1 });
    return refused(txUriRule, { id: -1 });
  }
  switch (name) {
    // Integers can be JSON integers, arguments can be absent, and hex can have the prefix `0x`.
    case 'params as short array':
      return like('validators');
    case 'no params where there are some':
      return like('block latest');
    case 'bad height (uri)':
    case 'hex height (uri)':
      return refused(`\`height\` must be ${whole}`, { id: -1 });
    case 'unquoted string (uri)':
      return refused('`path` must be in double quotes, or `0x` and hexadecimal digits', { id: -1 });
    case 'abci_query hex with 0x':
      return like('abci_query lower and upper hex');
    case 'abci_query odd hex':
      return refused('`data` must be `0x` and hexadecimal digits, hex, or text in double quotes');
    // `data` is required.
    case 'abci_query missing data (uri)':
      return refused('`data` is required', { id: -1 });
    // T23: other paths are not forwarded.
    case 'abci_query unknown path':
    case 'abci_query empty path':
    case 'abci_query p2p filter':
      return refused(paths);
    case 'broadcast_evidence nothing':
      return refused('`evidence` is required');
    case 'body too large':
      return refused('error reading request body: http: request body too large', { status: 413, id: null });
    default:
      return undefined;
  }
}

/** Rows to which the root paths respond differently, with the test that covers each. */
const elsewhere: Readonly<Record<string, string>> = {
  'height as a number': 'a JSON integer is taken: "integers" in documentedDialect.test.ts',
  'batch with a call without params': 'such a call is one for the latest: "a batch" in documentedDialect.test.ts',
  'unknown path': 'other surfaces have paths there too: the server says that there is nothing',
  'check_tx good, a second time in the same block: the first one used the sequence up': 'as in cometRows.test.ts',
  'broadcast_tx_commit good': 'as in cometRows.test.ts',
  'broadcast_tx_commit execution fails': 'as in cometRows.test.ts',
};

function withoutGas(text: string): string {
  return text.replace(/("check_tx":\{.*?"gas_wanted":")\d+(","gas_used":")\d+/, '$10$20');
}

function shown(row: RpcRow, body: JsonValue): JsonValue {
  if (row.name.startsWith('broadcast_tx_commit')) return JSON.parse(withoutGas(JSON.stringify(body))) as JsonValue;
  return row.headers['content-type'] === 'text/html' ? String(body).replaceAll(/\/\/127\.0\.0\.1:\d+\//g, '//host/') : body;
}

describe('each row of rpc.json at the root paths is its conversion to the documented dialect', () => {
  const rows = rpcRows.filter(({ name }) => !(name in elsewhere));

  it('the exceptions are rows', () => {
    expect(rows.length).toBe(222 - Object.keys(elsewhere).length);
  });

  it.each(some(rows, 12).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { server, masked } = await servers.of(row);
    const { status, headers, body } = await sendRow(server.url, '', row);
    const expected = ownRule(row) ?? imageOf(row);
    // The id is that of the request, even if the rest is from another row.
    const wanted =
      typeof expected.body === 'object' && expected.body !== null && !Array.isArray(expected.body) && 'result' in expected.body
        ? { ...expected.body, id: (parsed(body) as JsonObject).id }
        : expected.body;
    expect({ status, body: shown(row, parsed(body)) }).toEqual({ status: expected.status, body: shown(row, wanted) });
    expect(headers['x-server-time']).toBeUndefined();
    expect(masked).toEqual([]);
  });
});
