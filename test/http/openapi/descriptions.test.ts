import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { rpcMethods } from '../../../src/chain/rpc/methods.ts';
import { boundsOf, createLimits } from '../../../src/config/limits/limits.ts';
import { createRouteTable as createAggregateTable } from '../../../src/surfaces/aggregates/routeTable.ts';
import { applicationDescription } from '../../../src/surfaces/openapi/descriptionHandler.ts';
import { createRouteTable } from '../../../src/surfaces/rest/routes.ts';
import { readDescriptors } from '../../recordings/recordings.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';
import { type Finding, redocly, spectral } from './lint.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { archive: { records: true } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

async function served(path: string): Promise<{ text: string; description: Description }> {
  const { status, headers, body } = await send(`${stack.server.url}${path}`);
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  return { text: body, description: JSON.parse(body) as Description };
}

/** Findings about the WebSocket. OpenAPI only supports responses over HTTP. */
const ofSockets = ({ place }: Finding): boolean => /websocket/.test(place);

/** The description with the routes of the recorded chain, about three hundred. */
async function recordedApplication(): Promise<string> {
  const { routes } = await createRouteTable(createDescriptorPool(readDescriptors()));
  const aggregates = createAggregateTable(boundsOf(createLimits()));
  return JSON.stringify(applicationDescription({ rest: routes, aggregates, examples: {} }, '/oauth/token', true));
}

describe('the description of the node RPC', () => {
  it.runIf(runsAll)('has every method in both dialects, and unique operation ids', async () => {
    const { description } = await served('/openapi/node.json');
    expect(description.openapi).toBe('3.0.3');
    const own = Object.keys(rpcMethods).flatMap((method) => [`/${method}`, `/comet/${method}`]);
    expect(Object.keys(description.paths).toSorted()).toEqual(
      [...own, '/', '/comet', '/websocket', '/comet/websocket'].toSorted(),
    );
    const ids = Object.values(description.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  // Outside CI, one of the linters is enough: loading both takes seconds.
  it.runIf(runsAll)('passes both linters', async () => {
    const { text } = await served('/openapi/node.json');
    expect(text).toContain('"/block_results"');
    const findings = [...(await spectral(text)), ...(await redocly(text))];
    expect(findings.filter(({ isError }) => isError)).toEqual([]);
    expect(findings.filter((finding) => !ofSockets(finding))).toEqual([]);
  });
});

describe('the description of the application', () => {
  it('has the routes of the chain in both dialects, and the aggregates', async () => {
    const { description } = await served('/openapi/application.json');
    const paths = Object.keys(description.paths);
    expect(paths).toContain('/cosmos/group/v1/proposal/{proposal_id}');
    expect(paths).toContain('/rest/cosmos/group/v1/proposal/{proposal_id}');
    expect(paths.filter((path) => path.startsWith('/v1/')).length).toBe(createAggregateTable(boundsOf(createLimits())).length);
    const ofDocumented = paths.filter((path) => /^\/(cosmos|cosmwasm|ibc|provenance)\//.test(path));
    const ofNode = paths.filter((path) => path.startsWith('/rest/')).map((path) => path.slice('/rest'.length));
    expect(ofNode.toSorted()).toEqual(ofDocumented.toSorted());
    // Only the node's dialect accepts transactions.
    const ways = (path: string): string[] => Object.keys(description.paths[path] ?? {});
    expect(ways('/cosmos/tx/v1beta1/txs')).toEqual(['get']);
    expect(ways('/rest/cosmos/tx/v1beta1/txs').toSorted()).toEqual(['get', 'post']);
  });

  it.runIf(runsAll)(
    'passes a linter, in CI both and also for the recorded chain',
    async () => {
      const { text } = await served('/openapi/application.json');
      for (const description of [text, await recordedApplication()]) {
        expect(await spectral(description)).toEqual([]);
        expect(await redocly(description)).toEqual([]);
      }
    },
    120_000,
  );
});
