import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

beforeEach(() => {
  chain.node.heal();
  chain.node.counters.reset();
});

/** The number of calls to the node, except those that follow the head. */
const calls = (): number =>
  chain.node.counters.log.filter(({ method }) => method !== 'status' && method !== 'subscribe').length;

/** The fields that are read live, with selections. */
const live = [
  'health',
  'netInfo { nPeers }',
  'abciInfo { lastBlockHeight }',
  'numUnconfirmedTransactions { total }',
  'consensusState',
  'commit { canonical }',
];

it.each(live)('reads `%s` again for each operation', async (field) => {
  const document = `{ ${field} }`;
  const first = await stack.ask(document);
  expect(first.body.errors).toBeUndefined();
  const once = calls();
  await stack.ask(document);
  expect(once).toBeGreaterThan(0);
  expect(calls()).toBe(2 * once);
});

it('returns the peers of a node', async () => {
  const monitor = (rate: string): JsonObject => ({
    Start: '2026-11-21T02:57:25.72Z',
    Bytes: '9007199254740993',
    Samples: '2',
    InstRate: '3',
    CurRate: '4',
    AvgRate: rate,
    PeakRate: '6',
    BytesRem: '7',
    Duration: '1500000000',
    Idle: '20000000',
    TimeRem: '0',
    Progress: 12,
    Active: true,
  });
  chain.node.faults.forge = ({ method }, result) => {
    if (method !== 'net_info') return result;
    const info = {
      protocol_version: { p2p: '8', block: '11', app: '0' },
      id: 'ab',
      listen_addr: 'tcp://0.0.0.0:26656',
      network: 'testing',
      version: '0.38.23',
      channels: '40',
      moniker: 'peer',
      other: { tx_index: 'off', rpc_address: '' },
    };
    const channel = { ID: 48, SendQueueCapacity: '1', SendQueueSize: '2', Priority: '5', RecentlySent: '9007199254740993' };
    const status = { Duration: '61000000001', SendMonitor: monitor('5'), RecvMonitor: monitor('50'), Channels: [channel] };
    const peer = { node_info: info, is_outbound: true, connection_status: status, remote_ip: '10.0.0.1' };
    return { listening: true, listeners: ['Listener(@)'], n_peers: '1', peers: [peer] };
  };
  const { body } =
    await stack.ask(`{ netInfo { nPeers peers { isOutbound remoteIp nodeInfo { moniker other { txIndex } } connectionStatus {
    duration sendMonitor { bytes avgRate duration idle timeRem progress active } recvMonitor { avgRate start }
    channels { id sendQueueCapacity sendQueueSize priority recentlySent } } } } }`);
  expect(body).toMatchObject({
    data: {
      netInfo: {
        nPeers: '1',
        peers: [
          {
            isOutbound: true,
            remoteIp: '10.0.0.1',
            nodeInfo: { moniker: 'peer', other: { txIndex: 'off' } },
            connectionStatus: {
              duration: '61.000000001s',
              sendMonitor: {
                bytes: '9007199254740993',
                avgRate: '5',
                duration: '1.5s',
                idle: '0.02s',
                timeRem: '0s',
                progress: 12,
                active: true,
              },
              recvMonitor: { avgRate: '50', start: '2026-11-21T02:57:25.72Z' },
              channels: [
                { id: 48, sendQueueCapacity: '1', sendQueueSize: '2', priority: '5', recentlySent: '9007199254740993' },
              ],
            },
          },
        ],
      },
    },
  });
});

it('fails field by field: a failed call does not affect the other fields', async () => {
  chain.node.faults.call = ({ method }) =>
    method === 'net_info' ? { rpc: { code: -32603, message: 'Internal error', data: 'busy' } } : undefined;
  const { body } = await stack.ask('{ health netInfo { nPeers } }');
  expect(body.data).toEqual({ health: true, netInfo: null });
  expect(body.errors?.[0]).toMatchObject({ path: ['netInfo'], extensions: { code: 'RPC_ERROR' } });
});
