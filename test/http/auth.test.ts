import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuth } from '../../src/http/authSetup.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 60 } as const;
  const { auth, issuer } = await createAuth(config, { address: () => stack.server.url, report: console.error });
  stack = await startStack([chain.node.url], { auth, issuer });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it('serves a token that the issuer gave, and nobody without', async () => {
  expect((await stack.ask('{ __typename }')).status).toBe(401);
  const response = await fetch(`${stack.server.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"client_id":"devnet","client_secret":"devnet","audience":"http://localhost:4000","grant_type":"client_credentials"}',
  });
  const { access_token } = (await response.json()) as { access_token: string };
  const { body } = await stack.ask('{ __typename }', {}, { authorization: `Bearer ${access_token}` });
  expect(body.data).toEqual({ __typename: 'Query' });
});
