import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
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

describe("every answer of the node's REST", () => {
  it('is said again at /rest, with its status and height', async () => {
    expect(rows).toHaveLength(468);
    for (const { name, height, rest } of rows) {
      const headers = height === '0' ? {} : { 'x-cosmos-block-height': height };
      const response = await fetch(`${stack.server.url}/rest${rest.url}`, { headers });
      const told = response.headers.get('grpc-metadata-x-cosmos-block-height');
      const said = { status: response.status, body: await response.json(), told, type: response.headers.get('content-type') };
      const recorded = height === '0' ? '566' : rest.headers['grpc-metadata-x-cosmos-block-height'];
      expect(said, `${name} ${rest.url}`).toEqual({
        status: rest.status,
        body: rest.body,
        told: recorded,
        type: 'application/json',
      });
    }
    expect(node.unrecorded).toEqual([]);
  });
});
