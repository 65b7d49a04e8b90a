import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { recording } from '../../recordings/recording.ts';
import { some } from '../../support/atRandom.ts';
import { shapeOf } from './shape.ts';
import { createTinyApplication, tinyTx } from './tinyApplication.ts';

interface Row {
  name: string;
  via: string;
  request?: unknown;
  requestHeaders?: Record<string, string>;
  status: number;
  headers: Record<string, string>;
  response: unknown;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();

let devnet: Devnet;
let url: string;
/** Hashes in the recorded requests, and their replacements here. */
let substitutes: [string, string][];

/** Heights up to 110, with transactions at 25 and 102 and a failed one at 103, as the recorded requests expect. */
beforeAll(async () => {
  devnet = await createDevnet({
    application: createTinyApplication(),
    blockTime: 'manual',
    genesisTime: 1_795_229_276_471_457_131n,
    commitTimeout: 2000,
  });
  url = devnet.nodes[0]!.url;
  const good = tinyTx('alice', 0, 'Vote');
  const bad = tinyTx('bad', 0, 'Fail');
  while (devnet.height < 110n) {
    if (devnet.height === 24n) await call('broadcast_tx_sync', { tx: base64(good) });
    if (devnet.height === 101n) await call('broadcast_tx_sync', { tx: base64(tinyTx('carol', 0)) });
    if (devnet.height === 102n) await call('broadcast_tx_sync', { tx: base64(bad) });
    await devnet.commit();
  }
  const block = (await call('block', { height: '102' })) as { result: { block_id: { hash: string } } };
  const { hash } = block.result.block_id;
  const toBase64 = (text: string) => Buffer.from(text, 'hex').toString('base64');
  substitutes = [
    ['77B08498AEE793C7C2AA6E4A1952B56BD35F4096EA43D6FBA2CDE5E457673368', hash],
    ['d7CEmK7nk8fCqm5KGVK1a9NfQJbqQ9b7os3l5FdnM2g=', toBase64(hash)],
    ['B9BD8805A2E6E95F3A2F36ED6D6B6831B4B9989DC300A38AFC84C8DED49A60CB', hexOf(sha256(good))],
    ['ub2IBaLm6V86LzbtbWtoMbS5mJ3DAKOK/ITI3tSaYMs=', base64(sha256(good))],
    ['ZZtmEfYkZtulS8M3YtRzJdBguTl6XXAXNNFd9S3NRF8=', base64(sha256(bad))],
    ['/cosmos.group.v1.MsgVote', '/test.MsgVote'],
    ['cosmos.group.v1.EventProposalPruned.proposal_id', 'jubilee.number'],
    [`cosmos.group.v1.EventVote.proposal_id='\\"3\\"'`, "transfer.sender='alice'"],
    ["transfer.recipient='tp1yty2vdefp25m7uu72kzx27yr3xlfxt5ce8ganj'", "transfer.sender='alice'"],
    ['1106', '111'],
    ['1105', '110'],
    // The recorded chain is longer, but its later heights are not needed.
    ['"567"', '"107"'],
  ];
});

afterAll(() => devnet.close());

async function post(body: string, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Response> {
  return await fetch(url, { method: 'POST', body, headers });
}

async function call(method: string, params: unknown): Promise<unknown> {
  return await (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).json();
}

function substitute(text: string): string {
  return substitutes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Values that depend on this chain or this machine and not on the node. */
function normalise(text: string): string {
  return text
    .replaceAll(/\b11(05|06)\b/g, (_, last) => (last === '05' ? '110' : '111'))
    .replaceAll('127.0.0.1:26657', new URL(url).host)
    .replace(/"app_state":\{.*\}/s, '"app_state":{}');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isFailure(response: unknown): boolean {
  return typeof response === 'object' && response !== null && 'error' in response;
}

/** Other tests cover the rows of the application and of its transactions. Invalid arguments are the node's. */
const elsewhere =
  /abci_query|broadcast_tx|check_tx|pending|740,000|tx right after sync|unconfirmed while|num_unconfirmed while/;
const badArguments = /not base64|bad hex|odd hex|hex with 0x/;

const rows = recording<Row[]>('rpc').filter(({ name }) => !elsewhere.test(name) || badArguments.test(name));

describe('each row matches the recorded node', () => {
  it.each(some(rows, 3))('the recorded row $name', async ({ via, request, requestHeaders, status, headers, response }) => {
    const [method, path] = [via.slice(0, via.indexOf(' ')), via.slice(via.indexOf(' ') + 1)];
    let body: string | undefined;
    if (request === '(1,000,100 bytes)') body = 'x'.repeat(1_000_100);
    else if (request !== undefined) body = substitute(typeof request === 'string' ? request : JSON.stringify(request));
    const answer = await fetch(`${url}${substitute(path)}`, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json', ...requestHeaders } }),
    });
    const text = await answer.text();

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type') ?? undefined).toBe(headers['content-type']);
    expect(answer.headers.get('cache-control') ?? undefined).toBe(headers['cache-control']);
    expect(answer.headers.has('x-server-time')).toBe('x-server-time' in headers);
    const expected = normalise(typeof response === 'string' ? response : JSON.stringify(response));
    if (isFailure(response) || typeof response === 'string') expect(text).toBe(expected);
    else {
      // The events of the application: their presence depends on the node, their content does not.
      const comparable = (json: string) => shapeOf(parsed(normalise(json)));
      expect(comparable(text)).toEqual(comparable(expected));
      expect(JSON.stringify(comparable(text))).toBe(JSON.stringify(comparable(expected)));
    }
  });
});
