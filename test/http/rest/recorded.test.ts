import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});

afterAll(async () => {
  await stack.close();
  await node.close();
});

const rows = readRecording('queries').flatMap((row) => (row.rest === undefined ? [] : [{ ...row, rest: row.rest }]));

describe("every recorded response of the node's REST API", () => {
  it.runIf(runsAll)('is returned at /rest with the same status and height', async () => {
    expect(rows).toHaveLength(468);
    for (const { name, height, rest } of rows) {
      const headers = height === '0' ? {} : { 'x-cosmos-block-height': height };
      const response = await fetch(`${stack.server.url}/rest${rest.url}`, { headers });
      const servedHeight = response.headers.get('grpc-metadata-x-cosmos-block-height');
      const said = {
        status: response.status,
        body: await response.json(),
        servedHeight,
        type: response.headers.get('content-type'),
      };
      const recorded = height === '0' ? '566' : rest.headers['grpc-metadata-x-cosmos-block-height'];
      expect(said, `${name} ${rest.url}`).toEqual({
        status: rest.status,
        body: rest.body,
        servedHeight: recorded,
        type: 'application/json',
      });
    }
    expect(node.unrecorded).toEqual([]);
  });
});

/** Rows whose response must differ, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'latest block': 'queries.json has the same question at another height, and what the node says there goes first',
};

describe('every row of rest.json', () => {
  const others = readRecording('rest').filter(({ name }) => exceptions[name] === undefined);

  it.each(some(others, 3))('the recorded row $name: $url', async (row) => {
    const { url, status, body, headers } = row;
    const asked = (row as { requestHeaders?: Record<string, string> }).requestHeaders ?? {};
    // Their height has no recorded state of these lists. No group has changed since.
    const pinned = url.startsWith('/cosmos/group') && status === 200 ? { 'x-cosmos-block-height': '566' } : {};
    const response = await fetch(`${stack.server.url}/rest${url}`, { headers: { ...pinned, ...asked } });
    expect({ status: response.status, body: await response.json() }).toEqual({ status, body });
    const hasHeight = headers['grpc-metadata-x-cosmos-block-height'] !== undefined;
    const servedHeight = response.headers.get('grpc-metadata-x-cosmos-block-height');
    // A live response is at the newest block, which differs here.
    expect(servedHeight).toBe(hasHeight ? '566' : null);
    expect(response.headers.get('content-type')).toBe(headers['content-type']);
  });

  it('latest block: the block that the node reports as its latest', async () => {
    const response = await fetch(`${stack.server.url}/rest/cosmos/base/tendermint/v1beta1/blocks/latest`);
    const recorded = readRecording('queries').find(({ path }) => path.endsWith('/GetLatestBlock'));
    expect(response.status).toBe(200);
    const body = (await response.json()) as { sdk_block: { header: { height: string } } };
    const { sdk_block: block } = recorded!.decoded as unknown as typeof body;
    expect(body.sdk_block.header.height).toBe(block.header.height);
  });
});

describe('paths that the chain describes and a node does not route', () => {
  // Guess: no recording has them.
  it.each(['/cosmos/base/reflection/v1beta1/interfaces', '/cosmos/base/reflection/v1beta1/interfaces/x/implementations'])(
    '%s is 501 under /rest',
    async (path) => {
      const response = await fetch(`${stack.server.url}/rest${path}`);
      expect([response.status, await response.json()]).toEqual([501, { code: 12, message: 'Not Implemented', details: [] }]);
    },
  );
});
