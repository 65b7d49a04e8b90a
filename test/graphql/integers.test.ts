import { QueryProposalRequest } from 'cosmjs-types/cosmos/group/v1/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { getWritten, postWritten, sendWritten } from '../support/wire.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], {
    server: { limits: { 'request.freshness': 50 } },
    client: { learnsRoots: false },
  });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const variable = (name: string, type: string, field: string, value: string): string =>
  `{"query":"query ($${name}: ${type}) { ${field} }","variables":{"${name}":${value}}}`;

describe.each([
  ['by GET', getWritten],
  ['by POST', postWritten],
  ['over graphql-transport-ws', sendWritten],
])('%s', (_, sendTo) => {
  const send = (body: string) => sendTo(stack.server.url, body);

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
        // Each request reads at a new height, so that it is not answered from a cache.
        const height = await chain.devnet.commit();
        await stack.client.head.waitFor(height, { milliseconds: 30_000 });
        chain.node.counters.reset();
        expect(await send(body)).toMatchObject({ data: { proposal: null } });
        const [call] = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
        expect(call?.params).toMatchObject({ data: golden });
      }
    },
  );

  it.each(['1.5', '1e3', 'true', '[1]', '"0x10"', '" 5"', '"+5"', '"1e3"', '9223372036854775808', '"-9223372036854775809"'])(
    'height %s is rejected with the bound',
    async (value) => {
      const bound = 'an integer from -9223372036854775808 to 9223372036854775807';
      const asVariable = await send(variable('height', 'Int64', 'block(height: $height) { height }', value));
      // As a JSON variable, 1e3 is the number 1000.
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

describe('numbers are parsed alike by GET, by POST and over WebSocket', () => {
  const transports = [getWritten, postWritten, sendWritten];

  it.each([
    ['1e3', '1000'],
    ['1.0', '1'],
    ['-0', '0'],
    ['0.1e2', '10'],
  ])('id %s is %s', async (written, id) => {
    const golden = Buffer.from(QueryProposalRequest.encode({ proposalId: BigInt(id) }).finish()).toString('hex');
    for (const send of transports) {
      const height = await chain.devnet.commit();
      await stack.client.head.waitFor(height, { milliseconds: 30_000 });
      chain.node.counters.reset();
      const answer = await send(stack.server.url, variable('id', 'ID!', 'proposal(id: $id) { id }', written));
      expect(answer).toMatchObject({ data: { proposal: null } });
      const [call] = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
      expect(call?.params).toMatchObject({ data: golden });
    }
  });

  it.each(['1.5', '1e30', '{}', 'true'])('id %s gets the same error over each transport', async (written) => {
    const answers = await Promise.all(
      transports.map((send) => send(stack.server.url, variable('id', 'ID!', 'proposal(id: $id) { id }', written))),
    );
    expect(answers[0]!.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    for (const { errors } of answers) expect(errors).toEqual(answers[0]!.errors);
  });

  it('extensions.minHeight keeps all digits', async () => {
    const body = '{"query":"{ head { height } }","extensions":{"minHeight":9007199254740993}}';
    for (const send of transports) {
      const { errors } = await send(stack.server.url, body);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE', height: '9007199254740993' });
    }
  });
});
