import { once } from 'node:events';
import { QueryProposalRequest } from 'cosmjs-types/cosmos/group/v1/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

type Send = (body: string) => Promise<Body>;

/** Sends a body as it is written: JavaScript would round its numbers. */
async function post(body: string): Promise<Body> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return (await response.json()) as Body;
}

/** The same as the payload of a message. */
async function overSocket(body: string): Promise<Body> {
  const socket = new WebSocket(`${stack.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  socket.send(`{"id":"1","type":"subscribe","payload":${body}}`);
  const [message]: Buffer[] = await once(socket, 'message');
  socket.terminate();
  const { type, payload } = JSON.parse(String(message));
  return type === 'error' ? { errors: payload } : payload;
}

const variable = (name: string, type: string, field: string, value: string): string =>
  `{"query":"query ($${name}: ${type}) { ${field} }","variables":{"${name}":${value}}}`;

describe.each<[string, Send]>([
  ['by POST', post],
  ['over graphql-transport-ws', overSocket],
])('%s', (_, send) => {
  it.each(['18446744073709551615', '9007199254740993', '9223372036854775807', '1'])(
    'id %s reaches the node exactly',
    async (id) => {
      const golden = Buffer.from(QueryProposalRequest.encode({ proposalId: BigInt(id) }).finish()).toString('hex');
      const bodies = [
        variable('id', 'ID!', 'proposal(id: $id) { id }', id),
        variable('id', 'ID!', 'proposal(id: $id) { id }', `"${id}"`),
        `{"query":"{ proposal(id: ${id}) { id } }"}`,
      ];
      for (const body of bodies) {
        // At a height of its own, or what the last one read would be known.
        const height = await chain.devnet.commit();
        await stack.client.head.waitFor(height, { milliseconds: 5_000 });
        chain.node.counters.reset();
        expect(await send(body)).toMatchObject({ data: { proposal: null } });
        const [call] = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
        expect(call?.params).toMatchObject({ data: golden });
      }
    },
  );

  it.each(['1.5', '1e3', 'true', '[1]', '"0x10"', '" 5"', '"+5"', '"1e3"', '9223372036854775808', '"-9223372036854775809"'])(
    'height %s is refused with the bound',
    async (value) => {
      const bound = 'an integer from -9223372036854775808 to 9223372036854775807';
      const asVariable = await send(variable('height', 'Int64', 'block(height: $height) { height }', value));
      // 1e3 is the number 1000 by the time that a variable is one.
      if (value === '1e3')
        expect(asVariable.errors?.[0]?.extensions).toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE', height: '1000' });
      else
        expect(asVariable.errors?.[0]).toMatchObject({
          message: expect.stringContaining('$height'),
          extensions: { code: 'BAD_USER_INPUT', bound },
        });
      const literal = value.replaceAll('"', '\\"');
      const inDocument = await send(`{"query":"{ block(height: ${literal}) { height } }"}`);
      expect(inDocument.errors?.[0]?.message).toContain(bound);
    },
  );
});
