import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

const result = '{"data":{"__typename":"Query"},"extensions":{"height":"1"}}';

describe('the format of a single result', () => {
  const ask = (accept: string, query = '{ __typename }') =>
    send(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query }),
    });

  it.each([
    ['*/*', 'application/json; charset=utf-8', result],
    ['application/*', 'application/json; charset=utf-8', result],
    ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8', result],
    ['text/html;q=0.9, application/graphql-response+json, */*', 'application/graphql-response+json; charset=utf-8', result],
    ['text/event-stream, application/json', 'application/json; charset=utf-8', result],
    ['text/event-stream', 'text/event-stream', `:\n\nevent: next\ndata: ${result}\n\nevent: complete\ndata:\n\n`],
    [
      'multipart/mixed',
      'multipart/mixed; boundary="-"',
      `\r\n---\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${result}\r\n-----\r\n`,
    ],
  ])('the format of a result for Accept: %s', async (accept, type, body) => {
    const answer = await ask(accept);
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, type, body]);
    expect(answer.headers['content-length']).toBe(String(body.length));
  });

  it.each(['text/html', 'application/json;charset=latin1', 'image/*'])('406 for Accept: %s', async (accept) => {
    const answer = await ask(accept);
    expect([answer.status, JSON.parse(answer.body).errors[0].extensions.code]).toEqual([406, 'BAD_USER_INPUT']);
  });

  it('an error has its status, except for a client that only accepts application/json', async () => {
    const statuses: number[] = [];
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream', 'multipart/mixed'])
      statuses.push((await ask(accept, '{ nope }')).status);
    expect(statuses).toEqual([200, 400, 200, 400]);
    const several = 'query A { __typename } query B { __typename }';
    const chosen = await ask('application/graphql-response+json', several);
    expect(chosen.status).toBe(400);
    expect(JSON.parse(chosen.body).errors).toEqual([
      { message: 'Could not determine what operation to execute.', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('a parameter of the wrong type', () => {
  const query = '{ __typename }';

  it.each([
    [{}, 'Must provide query string.'],
    [{ query: 5 }, 'Expected "query" param to be a string, but given number.'],
    [{ query, variables: [] }, 'Expected "variables" param to be empty or an object, but given array.'],
    [{ query, extensions: 'x' }, 'Expected "extensions" param to be empty or an object, but given string.'],
    [{ query, operationName: {} }, '`operationName` must be a string.'],
    [{ query, other: 1 }, 'Unexpected parameter "other" in the request body.'],
  ])('%o is 400', async (params, message) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const headers = { 'content-type': 'application/json', accept };
      const { status, body } = await send(`${stack.server.url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify(params),
      });
      expect([status, JSON.parse(body).errors]).toMatchObject([400, [{ message, extensions: { code: 'BAD_USER_INPUT' } }]]);
    }
  });
});
