import { afterEach, describe, expect, it } from 'vitest';
import { createAuth } from '../../../src/start/authSetup.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Collection, requestsOf, runCollection, type Sent } from './runCollection.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server that issues tokens to the client of the collection. */
async function serve(node: string): Promise<Stack> {
  let url = '';
  const { auth, issuer, devnetToken } = await createAuth(
    { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 },
    { address: () => url, report: console.error },
  );
  const stack = await startStack([node], { server: { auth, issuer, playgroundToken: devnetToken } });
  url = stack.server.url;
  closing.push(stack.close);
  return stack;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: string | number | boolean;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

async function json<T>(stack: Stack, path: string): Promise<T> {
  return (await (await fetch(`${stack.server.url}${path}`)).json()) as T;
}

/** Sends each GET operation that has examples, with these examples. */
async function askExamples(stack: Stack, description: string, token: string): Promise<readonly Sent[]> {
  const { paths } = await json<Description>(stack, description);
  const sent: Sent[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    const given = (get?.parameters ?? []).filter(({ example }) => example !== undefined);
    if (given.length === 0 || path.includes('/broadcast_')) continue;
    const values = new Map(given.map(({ name, example }) => [name, encodeURIComponent(String(example))]));
    const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => values.get(name) ?? 'missing');
    const query = given.filter((each) => each.in === 'query').map(({ name }) => `${name}=${values.get(name)}`);
    const response = await fetch(`${stack.server.url}${filled}?${query.join('&')}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.text();
    sent.push({ name: path, url: `${filled}?${query.join('&')}`, status: response.status });
  }
  return sent;
}

async function tokenOf(stack: Stack): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'devnet', client_secret: 'devnet' });
  const grant = (await (await fetch(`${stack.server.url}/oauth/token`, { method: 'POST', body })).json()) as {
    access_token: string;
  };
  return grant.access_token;
}

/** Sends all requests of the collection and all examples of both descriptions. */
async function askAll(stack: Stack): Promise<{ readonly collection: readonly Sent[]; readonly examples: readonly Sent[] }> {
  const read = (): Promise<Collection> => json<Collection>(stack, '/collection.json');
  await expect.poll(async () => requestsOf(await read())).toBeGreaterThan(20);
  const collection = await runCollection(await read());
  const token = await tokenOf(stack);
  const application = await askExamples(stack, '/openapi/application.json', token);
  return { collection, examples: [...application, ...(await askExamples(stack, '/openapi/node.json', token))] };
}

const failed = (sent: readonly Sent[]): readonly Sent[] => sent.filter(({ status }) => status < 200 || status > 299);

describe('every request of the collection and every example succeeds', () => {
  it.runIf(runsAll).each([1105n, 195n])('over the recorded chain at height %s', async (head) => {
    const node = await createReplayNode({ head });
    closing.push(node.close);
    const { collection, examples } = await askAll(await serve(node.url));
    expect(failed([...collection, ...examples])).toEqual([]);
    const names = examples.map(({ name }) => name);
    expect(names).toContain('/block_by_hash');
    expect(names.length).toBeGreaterThan(15);
  });

  it.runIf(runsAll)('over a chain with nothing but accounts, for which the others are omitted', async () => {
    const chain = await startChain({ bare: true });
    closing.push(() => chain.devnet.close());
    const { collection, examples } = await askAll(await serve(chain.node.url));
    expect(failed([...collection, ...examples])).toEqual([]);
    const names = examples.map(({ name }) => name);
    expect(names).toContain('/cosmos/bank/v1beta1/balances/{address}');
    expect(names).not.toContain('/cosmos/group/v1/proposal/{proposal_id}');
    expect(names).not.toContain('/tx');
  });

  it.runIf(runsAll)('over a development chain with other data and another id', async () => {
    const chain = await startChain({ chainId: 'other-1', crowd: 3 });
    closing.push(() => chain.devnet.close());
    const { collection, examples } = await askAll(await serve(chain.node.url));
    expect(failed([...collection, ...examples])).toEqual([]);
    const names = examples.map(({ name }) => name);
    for (const path of ['/cosmos/group/v1/vote_by_proposal_voter/{proposal_id}/{voter}', '/v1/scopes/{scopeId}']) {
      expect(names).toContain(path);
    }
  });
});

describe('the descriptions', () => {
  it.runIf(runsAll)('omit the services that the chain does not implement', async () => {
    const absent = '/provenance.metadata.v1.Query/';
    const node = await createReplayNode({
      head: 1105n,
      instead: (method, { path }) =>
        method === 'abci_query' && String(path).startsWith(absent)
          ? {
              result: {
                response: {
                  code: 6,
                  log: 'unknown query path: unknown request',
                  info: '',
                  index: '0',
                  key: null,
                  value: null,
                  proofOps: null,
                  height: '0',
                  codespace: 'sdk',
                },
              },
            }
          : undefined,
    });
    closing.push(node.close);
    const stack = await serve(node.url);
    const paths = async (): Promise<string[]> =>
      Object.keys((await json<Description>(stack, '/openapi/application.json')).paths);
    const absentOf = (all: readonly string[]): readonly string[] =>
      all.filter((path) => path.includes('/provenance/metadata/') || path.startsWith('/v1/scopes'));
    // Until the chain is read, the description has every service.
    await expect.poll(async () => absentOf(await paths())).toEqual([]);
    expect(await paths()).toContain('/provenance/marker/v1/detail/{id}');
  });

  it.runIf(runsAll)('read from the chain once for many requests', async () => {
    const node = await createReplayNode({ head: 1105n });
    closing.push(node.close);
    const stack = await serve(node.url);
    await expect.poll(async () => requestsOf(await json<Collection>(stack, '/collection.json'))).toBeGreaterThan(20);
    node.reset();
    const paths = ['/openapi/application.json', '/openapi/node.json', '/collection.json'];
    await Promise.all([...paths, ...paths].map((path) => json(stack, path)));
    expect(node.calls.filter(({ method }) => method !== 'status')).toEqual([]);
  });
});
