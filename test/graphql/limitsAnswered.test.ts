import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimits, limitEntry, limitNames } from '../../src/config/limits/limits.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

const changed = {
  'page.size.max': 25,
  'page.offset': 3,
  'rate.points': 123,
  'rate.computing': 20,
  'rate.public': 600,
  'rate.broadcasts': 60,
  'rate.failedAuthentications': 20,
};

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { server: { limits: changed } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('Query.limits', () => {
  it('returns every limit with its current value, including changed ones', async () => {
    const { body } = await stack.ask('{ limits { name value unit code description } }');
    const limits = createLimits(changed);
    expect(body).toMatchObject({
      data: {
        limits: limitNames.map((name) => {
          const { unit, code, description } = limitEntry(name);
          return { name, value: String(limits[name]), unit, code, description };
        }),
      },
    });
  });

  it('returns the limits that pages enforce', async () => {
    const groups = (args: string) => stack.ask(`{ groups(${args}) { nodes { id } } }`);
    expect((await groups('first: 25')).body.errors).toBeUndefined();
    expect((await groups('first: 26')).body.errors).toMatchObject([
      {
        message: '`first` must be from 0 to 25.',
        extensions: { code: 'BAD_USER_INPUT', argument: 'first', bound: 'from 0 to 25' },
      },
    ]);
    expect((await groups('offset: 4')).body.errors).toMatchObject([{ message: '`offset` must be from 0 to 3.' }]);
    const { body } = await stack.ask('{ at(height: 1) { groups(first: 26) { nodes { id } } } }');
    expect(body.errors).toMatchObject([{ path: ['at', 'groups'], message: '`first` must be from 0 to 25.' }]);
  });
});
