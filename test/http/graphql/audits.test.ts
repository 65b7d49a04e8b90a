import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../../src/start/authSetup.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
/** A server without authentication. */
let open: Stack;
/** A server that requires a token. */
let guarded: Stack;
let token: string;

beforeAll(async () => {
  chain = await startChain();
  open = await startStack([chain.node.url]);
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost',
    report: (error) => guarded.masked.push(error),
  });
  guarded = await startStack([chain.node.url], { server: { auth, issuer } });
  token = await devnetToken!();
});

afterAll(async () => {
  await Promise.all([open.close(), guarded.close()]);
  await chain.devnet.close();
});

type Fetch = typeof fetch;

/** Returns the audits of a server, one for each test row. */
function auditsOf(url: () => string, fetchFn: Fetch = fetch) {
  return serverAudits({ url, fetchFn }).map(({ id, name, fn }) => ({ id, name, fn }));
}

type Audit = ReturnType<typeof auditsOf>[number];

async function passes({ fn }: Audit): Promise<void> {
  const { status, ...rest } = await fn();
  expect({ status, reason: 'reason' in rest ? rest.reason : undefined }).toEqual({ status: 'ok', reason: undefined });
}

const withToken: Fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return fetch(input, { ...init, headers });
};

describe('GraphQL over HTTP without authentication', () => {
  it.each(auditsOf(() => `${open.server.url}/graphql`))('$id: $name', passes);
});

describe('GraphQL over HTTP with a token', () => {
  it.each(auditsOf(() => `${guarded.server.url}/graphql`, withToken))('$id: $name', passes);
});

describe('GraphQL over HTTP without a token', () => {
  const answers: Response[] = [];
  const noted: Fetch = async (input, init) => {
    const answer = await fetch(input, init);
    answers.push(answer.clone());
    return answer;
  };

  it.each(auditsOf(() => `${guarded.server.url}/graphql`, noted))('$id: the same 401, whatever the request', async ({ fn }) => {
    answers.length = 0;
    // The verdict of the audit on the refusal does not matter.
    await fn().catch(() => undefined);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await answer.text()).toBe(
        '{"errors":[{"message":"A valid bearer token is required.","extensions":{"code":"UNAUTHENTICATED"}}]}',
      );
    }
  });
});
