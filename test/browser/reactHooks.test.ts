import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/index.ts';
import * as hooks from '../../packages/client/src/react/index.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, describeGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  await createGroup(chain, [[chain.accounts[0]!, '1']]);
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const document = 'query Groups @live { groups(first: 1) { nodes { id metadata } } }';
type Groups = { readonly groups: { readonly nodes: readonly { readonly id: string; readonly metadata: string }[] } };

describe('on a server', () => {
  const within = (component: () => string) => {
    const client = createClient({ url: `${stack.server.url}/graphql` });
    return { client, element: createElement(hooks.SteleProvider, { client }, createElement(component)) };
  };

  it('a live query renders the result that the server has read, and otherwise that it loads', async () => {
    const { client } = within(() => '');
    const initial = await client.query<Groups>(document);
    const seeded = within(() => `group ${hooks.useLive<Groups>(document, {}, { initial }).data?.groups.nodes[0]?.id}`);
    expect(renderToString(seeded.element)).toBe('group 1');
    expect(renderToString(within(() => String(hooks.useLive(document).isLoading)).element)).toBe('true');
  });

  it('a query suspends until it has its result', async () => {
    const Heading = () =>
      hooks
        .useSuspenseQuery<Groups>(document)
        .data.groups.nodes.map(({ id }) => `group ${id}`)
        .join();
    const { prelude } = await prerender(within(Heading).element);
    expect(await new Response(prelude).text()).toBe('group 1');
    const Failing = () => String(hooks.useSuspenseQuery('{ nothing }').data);
    await expect(prerender(within(Failing).element, { onError: () => undefined })).rejects.toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
  });

  it('a hook without a provider says what is missing', () => {
    const Alone = () => String(hooks.useQuery(document).isLoading);
    expect(() => renderToString(createElement(Alone))).toThrow('SteleProvider');
  });
});

const source = `
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from './packages/client/src/index.ts';
import { SteleProvider, useConnection, useLive, useQuery, useSubscription, useSuspenseQuery } from './packages/client/src/react/index.ts';

const document_ = ${JSON.stringify(document)};
const events = (window.events = []);
const client = createClient({ url: '/graphql' });

function Query({ name }) {
  const { data, isLoading, refetch } = useQuery('{ head { height } }');
  return <button id={name} onClick={refetch}>{isLoading ? 'loading' : data.head.height}</button>;
}
function Live({ name }) {
  return <p id={name}>{useLive(document_).data?.groups.nodes[0].metadata}</p>;
}
function Waiting() {
  return <p id="suspense">{useSuspenseQuery('query Ids { groups(first: 1) { nodes { id } } }').data.groups.nodes[0].id}</p>;
}
function Blocks() {
  const { event, error } = useSubscription('subscription ($after: Int64) { newBlock(after: $after) { height } }', {}, {
    after: '1', onEvent: ({ height }) => events.push(height),
  });
  return <p id="block">{error?.message ?? event?.height}</p>;
}
function Failing() {
  return <p id="error">{useQuery('query { nothing }').error?.code}</p>;
}
function Connection() {
  return <p id="connection">{useConnection().kind}</p>;
}
createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <SteleProvider client={client}>
      <Query name="one" /><Query name="two" /><Live name="first" /><Live name="second" /><Blocks /><Failing /><Connection />
      <Suspense fallback={<p id="suspense">waiting</p>}><Waiting /></Suspense>
    </SteleProvider>
  </StrictMode>,
);`;

describe.skipIf(!hasChromium || !runsAll)(`in a page in Chromium${browserNote}`, () => {
  let browser: Browser;
  let page: Page;
  let requested: string[];
  let errors: string[];

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: '.', loader: 'tsx' },
      ...{ bundle: true, format: 'esm', platform: 'browser', jsx: 'automatic', write: false },
      define: { 'process.env.NODE_ENV': '"development"' },
    });
    browser = await openBrowser();
    ({ page, requested, errors } = await openPage(browser, { width: 800, height: 600 }));
    // Any page of the server, because its WebSocket refuses other origins.
    await page.goto(`${stack.server.url}/nothing`);
    await page.addScriptTag({ type: 'module', content: outputFiles[0]!.text });
  });

  afterAll(() => browser.close());

  const shows = (id: string, text: string) => expect.poll(() => page.innerText(`#${id}`)).toBe(text);
  const queries = () => requested.filter((each) => each.endsWith('/graphql') && each.startsWith('http')).length;

  it('components share a query, a live query follows the chain, and each event arrives once and in order', async () => {
    const height = chain.devnet.height.toString();
    for (const id of ['one', 'two', 'block']) await shows(id, height);
    await shows('suspense', '1');
    await shows('error', 'GRAPHQL_VALIDATION_FAILED');
    await shows('connection', 'connected');
    // Development mode renders and mounts twice.
    expect(queries()).toBe(3);
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, { id: 1n, policy: '' }, 'renamed'));
    for (const id of ['first', 'second']) await shows(id, 'renamed');
    const next = chain.devnet.height.toString();
    await shows('block', next);
    const heights: string[] = await page.evaluate('window.events');
    const all = Array.from({ length: Number(next) - 1 }, (_, index) => String(index + 2));
    // The first mount in development mode may have received some.
    expect(heights.slice(heights.lastIndexOf('2'))).toEqual(all);
    await page.click('#one');
    for (const id of ['one', 'two']) await shows(id, next);
    expect([queries(), errors]).toEqual([4, []]);
  });
});
