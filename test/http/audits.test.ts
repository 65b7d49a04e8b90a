import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('GraphQL over HTTP', () => {
  it.each(serverAudits({ url: () => `${stack.server.url}/graphql` }).map(({ id, name, fn }) => ({ id, name, fn })))(
    '$id: $name',
    async ({ fn }) => {
      const result = await fn();
      const { status, ...rest } = result;
      expect({ status, reason: 'reason' in rest ? rest.reason : undefined }).toEqual({ status: 'ok', reason: undefined });
    },
  );
});
