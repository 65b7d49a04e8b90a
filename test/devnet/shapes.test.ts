import { create, type FileRegistry, fromBinary, toJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAny } from '../../packages/devnet/src/app/runtime/keeper.ts';
import { createAccounts, signTx, type TxToSign, type WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { type QueryRow, type RpcRow, readRecording } from '../recordings/recordings.ts';
import { readRegistry } from '../recordings/registry.ts';
import { some } from '../support/atRandom.ts';
import { shapeOf } from './node/shape.ts';
import { endHeight, executeRecordedChain, type RecordedChain } from './recordedChain.ts';

// The tests in node/ compare routes, framing, blocks, searches and the mempool. These tests compare responses that depend on
// the application.

const [sender, receiver] = createAccounts(2) as [WalletAccount, WalletAccount];
let chain: RecordedChain;
beforeAll(async () => {
  chain = await executeRecordedChain([sender.address, receiver.address], endHeight);
});
afterAll(() => chain.devnet.close());

/** The newest height of rpc.json. */
const recordedHead = '1105';
const queries = readRecording('queries');
const rpc = readRecording('rpc');

/** The recorded response with this chain's height instead of that of the row. */
function atHeight(response: JsonValue, from: string, to = String(endHeight)): JsonValue {
  return JSON.parse(JSON.stringify(response).replaceAll(`"height":"${from}"`, `"height":"${to}"`)) as JsonValue;
}

async function askState(row: QueryRow, height: string): Promise<JsonObject> {
  const { result } = await chain.call('abci_query', { path: row.path, data: row.request, height, prove: row.prove });
  return (result as JsonObject).response as JsonObject;
}

/** The content of a response in protobuf JSON, by the descriptors of the chain. */
function contentOf(row: QueryRow, base64: JsonValue, registry: FileRegistry): JsonValue {
  const [, service = '', method = ''] = row.path.split('/');
  const output = registry.getService(service)!.methods.find(({ name }) => name === method)!.output;
  const message = fromBinary(output, Buffer.from(String(base64), 'base64'));
  return toJson(output, message, { registry, alwaysEmitImplicit: true }) as JsonValue;
}

/** The comparable parts of an HTTP response. */
interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly caching: string | undefined;
  readonly body: JsonValue;
}

function recordedAnswer({ status, headers }: RpcRow, body: JsonValue): Answer {
  return { status, type: headers['content-type'], caching: headers['cache-control'], body };
}

async function send(row: RpcRow): Promise<Answer> {
  const [method = '', path = ''] = row.via.split(/ (.*)/s);
  const body = row.request === undefined ? null : typeof row.request === 'string' ? row.request : JSON.stringify(row.request);
  const response = await fetch(`${chain.url}${path}`, { method, body });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? undefined,
    caching: response.headers.get('cache-control') ?? undefined,
    body: text.startsWith('{') ? (JSON.parse(text) as JsonValue) : text,
  };
}

describe('block_results of the recorded blocks, executed by the devnet', () => {
  it('are the recorded ones over the wire', async () => {
    let count = 0;
    for (const { height, block_results } of readRecording('chain').slice(0, endHeight)) {
      const { result } = await chain.call('block_results', { height });
      // The devnet estimates the gas used.
      const comparable = ({ txs_results }: JsonObject): JsonValue =>
        (txs_results as JsonObject[] | null)?.map((each) => ({ ...each, gas_used: '' })) ?? null;
      expect(comparable(result as JsonObject), `height ${height}`).toEqual(comparable(block_results));
      count += ((result as JsonObject).txs_results as JsonValue[] | null)?.length ?? 0;
    }
    expect(count).toBe(109);
  });
});

describe('queries of the group module, byte for byte', () => {
  const rows = queries.filter(({ path }) => path.startsWith('/cosmos.group.'));

  it.each(some(['1', '26', '58', '102', '-1', '1000566'], 3))(
    'queries of the group module, byte for byte, at %s',
    async (height) => {
      const own = rows.filter((row) => row.height === height);
      expect(own.length).toBeGreaterThan(0);
      for (const row of own) expect(await askState(row, height), row.name).toEqual(row.response);
    },
  );

  it.each(
    some(
      rows.filter(({ height }) => height === '566'),
      3,
    ).map((row) => [row.name, row] as const),
  )('%s, as it is at the end here', async (_, row) => {
    expect(await askState(row, String(endHeight))).toEqual(atHeight(row.response as never, '566'));
  });
});

describe('queries of accounts and balances', () => {
  const numbered = 'account numbers are others, by the two accounts that are there in addition';
  const later = 'two transactions came later, which made a marker and display units';
  /** Rows with other content but the same shape, with the reason. */
  const onlyShape: Readonly<Record<string, string>> = {
    'Account of a policy': numbered,
    'Account of a marker': numbered,
    Account: later,
    TotalSupply: later,
  };
  /** Rows that are not compared, with the reason. */
  const skipped: Readonly<Record<string, string>> = { DenomMetadata: later, DenomsMetadata: later };
  const registry = readRegistry();
  const recorded = queries.filter(({ path }) => /^\/cosmos\.(auth|bank)\./.test(path));

  const same = recorded.filter(({ name }) => onlyShape[name] === undefined && skipped[name] === undefined);
  it('are mostly the same', () => {
    expect([recorded.length, same.length]).toEqual([21, 15]);
  });

  it.each(some(same, 6).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    expect(await askState(row, String(endHeight))).toEqual(atHeight(row.response as never, '566'));
  });

  it.each(recorded.filter(({ name }) => onlyShape[name] !== undefined).map((row) => [row.name, row] as const))(
    '%s, decoded: the same shape',
    async (_, row) => {
      const { value, ...rest } = await askState(row, String(endHeight));
      const { value: theirs, ...recordedRest } = row.response;
      expect(rest).toEqual(atHeight(recordedRest as never, '566'));
      expect(shapeOf(contentOf(row, value ?? null, registry))).toEqual(shapeOf(contentOf(row, theirs, registry)));
    },
  );
});

describe('abci_query as recorded', () => {
  const skipped: Readonly<Record<string, string>> = {
    'abci_query store key with proof': 'compared by the test of shapes below, because the hashes belong to another state',
    'abci_query store key absent with proof': 'the same',
    'abci_query (uri)': 'compared by the next test, at a height that is here',
  };
  const rows = rpc.filter(({ name }) => name.startsWith('abci_query') && skipped[name] === undefined);

  it.each(some(rows, 6).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { body, ...rest } = await send(row);
    const response = atHeight(row.response, recordedHead);
    const value = /"value":"/.test(JSON.stringify(row.response)) && /subspace|Groups/.test(JSON.stringify(row.request));
    expect({ ...rest, body: null }).toEqual(recordedAnswer(row, null));
    // Group 4 was created later than the recorded lists.
    if (value) expect(shapeOf(body)).toEqual(shapeOf(response));
    else expect(body).toEqual(response);
  });

  it.each(['abci_query store key with proof', 'abci_query store key absent with proof'])('%s, by shape', async (name) => {
    const row = rpc.find((each) => each.name === name)!;
    const request = JSON.parse(JSON.stringify(row.request).replace(/"height":"\d+"/, `"height":"${endHeight}"`)) as JsonValue;
    const { body, ...rest } = await send({ ...row, request });
    expect({ ...rest, body: null }).toEqual(recordedAnswer(row, null));
    expect(shapeOf(body)).toEqual(shapeOf(row.response));
    const types = (json: unknown) => JSON.stringify(json).match(/"type":"ics23:\w+","key":"[^"]*"/g);
    expect(types(body)).toEqual(types(row.response));
    expect(types(body)).toHaveLength(2);
  });

  it('the recorded abci_query by URI', async () => {
    const row = rpc.find(({ name }) => name === 'abci_query (uri)')!;
    const here = { ...row, via: row.via.replace('height=566', `height=${endHeight}`) };
    expect(await send(here)).toEqual(recordedAnswer(row, atHeight(row.response, '566')));
  });
});

describe('invalid transactions, as recorded', () => {
  const rows = rpc.filter(({ name }) =>
    /^(broadcast_tx_\w+|check_tx|broadcast_evidence) (garbage|empty|not|quoted|missing|bad|nothing)/.test(name),
  );

  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    expect(await send(row)).toEqual(recordedAnswer(row, row.response));
  });
});

describe('transactions of an account, as recorded except for numbers', () => {
  const denom = 'nhash';
  let sequence = 0n;

  function transfer(amount: string, options: Partial<TxToSign>): string {
    const { address: toAddress } = receiver;
    const message = create(MsgSendSchema, { fromAddress: sender.address, toAddress, amount: [{ denom, amount }] });
    const messages = [packAny(MsgSendSchema, message)];
    // The first one after the five recorded accounts.
    const own = { account: sender, accountNumber: 5n, sequence, chainId: 'testing', messages };
    return Buffer.from(signTx({ ...own, ...options })).toString('base64');
  }

  /**
   * The result of a transaction without its numbers, its hash, and the location at which gas ran out, which depends on the estimate.
   */
  function shown(body: JsonValue): JsonValue {
    const text = JSON.stringify(body, (key, value) => (key === 'hash' || key === 'height' ? shapeOf(value) : value));
    const numberless = text.replace(/"(log|gas_wanted|gas_used)":"([^"\\]|\\.)*"/g, (member) =>
      member.replace(/\d+/g, 'N').replace(/location: \w+/, 'location: L'),
    );
    return JSON.parse(numberless, (key, value) => (key === 'events' ? shapeOf(value) : value)) as JsonValue;
  }

  const rowNamed = (name: string): RpcRow => rpc.find((row) => row.name === name)!;

  const fee = (amount: bigint, gas: bigint) => ({ amount: amount === 0n ? [] : [{ denom, amount }], gas });
  const variants: readonly [string, Partial<TxToSign>][] = [
    ['wrong sequence', { sequence: 999n }],
    ['old sequence', { sequence: 0n }],
    ['wrong chain id', { chainId: 'another' }],
    ['low fee', { fee: fee(0n, 1_000_000n) }],
    ['out of gas at check', { fee: fee(1_000_000_000n, 20_000n) }],
  ];

  it('good: sync, and in a block', async () => {
    const tx = transfer('1', {});
    expect(shown(await chain.call('broadcast_tx_sync', { tx }))).toEqual(shown(rowNamed('broadcast_tx_sync good').response));
    expect(await chain.call('broadcast_tx_sync', { tx })).toEqual(rowNamed('broadcast_tx_sync again at once').response);
    await chain.devnet.commit();
    sequence += 1n;
    expect(await chain.call('broadcast_tx_sync', { tx })).toEqual(rowNamed('broadcast_tx_sync again after commit').response);
  });

  const refused = variants.flatMap(([name, options]) =>
    ['check_tx', 'broadcast_tx_sync', 'broadcast_tx_commit', 'broadcast_tx_async'].flatMap((method) => {
      const row = rpc.find((each) => each.name === `${method} ${name}`);
      return row === undefined ? [] : [[row.name, method, options, row] as const];
    }),
  );

  it.each(refused)('a recorded transaction: %s', async (_, method, options, row) => {
    expect(shown(await chain.call(method, { tx: transfer('2', options) }))).toEqual(shown(row.response));
  });

  it.each([
    ['broadcast_tx_commit good', '1'],
    ['broadcast_tx_commit execution fails', '999999999999999999999999'],
  ])('a recorded broadcast: %s', async (name, amount) => {
    const answer = chain.call('broadcast_tx_commit', { tx: transfer(amount, {}) });
    const waiting = async (): Promise<JsonValue | undefined> =>
      ((await chain.call('num_unconfirmed_txs', {})).result as JsonObject).total;
    while ((await waiting()) === '0');
    await chain.devnet.commit();
    sequence += 1n;
    expect(shown(await answer)).toEqual(shown(rowNamed(name).response));
  });

  it('check_tx uses the sequence up until the next block', async () => {
    const tx = transfer('1', {});
    expect(shown(await chain.call('check_tx', { tx }))).toEqual(shown(rowNamed('check_tx good').response));
    const again = rowNamed('check_tx good, a second time in the same block: the first one used the sequence up');
    expect(shown(await chain.call('check_tx', { tx }))).toEqual(shown(again.response));
    const after = rowNamed('broadcast_tx_sync right after check_tx: refused by the sequence');
    expect(shown(await chain.call('broadcast_tx_sync', { tx }))).toEqual(shown(after.response));
    await chain.devnet.commit();
    const later = rowNamed('broadcast_tx_sync a block after check_tx: accepted');
    expect(shown(await chain.call('broadcast_tx_sync', { tx }))).toEqual(shown(later.response));
  });
});

describe('a pruned state, as recorded', () => {
  const rows = readRecording('pruned').filter(({ name }) => /^pruned (state by abci_query|store key)/.test(name));

  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    chain.devnet.nodes[0]!.prune(chain.devnet.height - 9n);
    const newest = JSON.stringify(row.response).replace(/latest height: \d+/, `latest height: ${chain.devnet.height}`);
    expect(await send(row)).toEqual(recordedAnswer(row, JSON.parse(newest)));
  });
});
