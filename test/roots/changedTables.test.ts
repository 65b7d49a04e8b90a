import { expect, it } from 'vitest';
import { type MethodStores, type StoreName, storesByMethod } from '../../src/chain/roots/gen/storesByMethod.ts';
import { createMethodTable } from '../../src/chain/roots/methodTables.ts';
import { runsAll, seed, some } from '../support/atRandom.ts';
import { compareAnswers, type Difference } from './comparison.ts';

/** The first difference that a changed row of the table causes, among the answers to one root field or method. */
async function firstDifference(method: string, change: Partial<MethodStores>, asked: string): Promise<Difference | undefined> {
  const methods = createMethodTable({ ...storesByMethod, [method]: { ...storesByMethod[method]!, ...change } });
  const { differences } = await compareAnswers({ seed, blocks: 2000, share: 1, methods, only: [asked], isShort: true });
  return differences[0];
}

const lacks: readonly (readonly [string, StoreName, string])[] = [
  ['/cosmos.group.v1.Query/ProposalsByGroupPolicy', 'group', 'proposalsByGroupPolicy'],
  ['/cosmos.bank.v1beta1.Query/AllBalances', 'bank', 'cosmos.bank.v1beta1.Query/AllBalances'],
  ['/provenance.metadata.v1.Query/ScopesAll', 'bank', 'scopes'],
  ['/provenance.attribute.v1.Query/Attributes', 'attribute', 'attributes'],
  ['/provenance.attribute.v1.Query/AccountData', 'attribute', 'accountData'],
];

it.each(some(lacks, lacks.length))(
  'answers are wrong if the table lacks a store: %s without %s',
  async (method, store, asked) => {
    const { stores } = storesByMethod[method]!;
    expect(stores).toContain(store);
    const difference = await firstDifference(method, { stores: stores.filter((each) => each !== store) }, asked);
    expect(difference?.asked).toContain(asked);
  },
  120_000,
);

it.runIf(runsAll)(
  'answers are wrong if the table lacks the condition of a method: spendable balances of vesting accounts',
  async () => {
    const method = 'cosmos.bank.v1beta1.Query/SpendableBalances';
    expect(storesByMethod[`/${method}`]?.carry).toBe('withoutVesting');
    const difference = await firstDifference(`/${method}`, { carry: 'always' }, method);
    expect(difference?.asked).toContain(method);
  },
  120_000,
);
