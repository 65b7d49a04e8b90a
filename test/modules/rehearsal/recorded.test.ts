import { afterEach, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { ArchivePlace } from '../../../src/archive/setup/open.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';
import { some } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, exec, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
});

const send = (from: string, to: string, amount: string) =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom: 'nhash', amount }] });

async function ask<T>(query: string, headers: Record<string, string> = {}): Promise<T> {
  await expect.poll(() => stack.client.head.current()?.height).toBe(chain.devnet.height);
  const { body } = await stack.ask(query, {}, headers);
  expect(body.errors).toBeUndefined();
  return body.data as T;
}

const places: readonly (readonly [string, () => Promise<ArchivePlace>])[] = [
  ['SQLite', async () => ({ kind: 'temporary' })],
  ...(hasPostgres ? [['PostgreSQL', async () => ({ kind: 'postgres', url: await emptyDatabase() }) as const] as const] : []),
];

describe(`the rehearsals of the archive${postgresNote}`, () => {
  it.each(some(places, 2))(
    '%s: the last one is kept beside the execution, and those that agreed are counted',
    async (_, place) => {
      chain = await startChain();
      stack = await startStack([chain.node.url], {
        client: { simulation: { everywhere: true } },
        archive: { records: await place() },
      });
      const [a, b] = chain.accounts.slice(5) as [WalletAccount, WalletAccount];
      const group: TestGroup = await createGroup(chain, [
        [a, '1'],
        [b, '1'],
      ]);
      await chain.run(a, send(a.address, group.policy, '100'));
      const ids = {
        works: await submitProposal(chain, group, a, { messages: [send(group.policy, b.address, '60')] }),
        fails: await submitProposal(chain, group, a, { messages: [send(group.policy, b.address, '1000')] }),
        // It would succeed now, and the payment of the first one lets it fail.
        changes: await submitProposal(chain, group, a, { messages: [send(group.policy, b.address, '50')] }),
        waits: await submitProposal(chain, group, a, { messages: [send(group.policy, b.address, '1')] }),
      };
      const rehearsals = (fields: string) =>
        Object.entries(ids)
          .map(([name, id]) => `${name}: proposal(id: "${id}") { rehearsal { ${fields} } }`)
          .join(' ');
      const recorded = (fields: string) =>
        Object.entries(ids)
          .map(([name, id]) => `${name}: proposalRecord(id: "${id}") { rehearsal { ${fields} } }`)
          .join(' ');
      const fields =
        'outcome reason assumption height gasUsed gasShare stateChanges failedMessage { index error inWords message { type } } transfers { amount { amount } } balanceChanges { before after } events { type }';
      const now = await ask<Record<string, { rehearsal: object }>>(`{ ${rehearsals(fields)} }`);
      expect(now).toMatchObject({ works: { rehearsal: { outcome: 'SUCCEEDS' } }, fails: { rehearsal: { outcome: 'FAILS' } } });
      const rehearsedAt = chain.devnet.height;
      const before = await ask<Record<string, { rehearsal: { rehearsal: object; agreed: boolean | null } }>>(
        `{ ${recorded(`agreed rehearsal { ${fields} }`)} }`,
      );
      for (const [name, { rehearsal }] of Object.entries(now))
        expect(before[name]?.rehearsal).toEqual({ agreed: null, rehearsal });

      for (const id of [ids.works, ids.fails, ids.changes]) {
        await chain.run(a, vote(a, id));
        await chain.run(b, vote(b, id));
        await chain.run(a, exec(a, id));
      }
      const after = await ask<Record<string, { rehearsal: { agreed: boolean | null } }>>(`{ ${recorded('agreed')} }`);
      expect(Object.fromEntries(Object.entries(after).map(([name, { rehearsal }]) => [name, rehearsal.agreed]))).toEqual({
        works: true,
        fails: true,
        changes: false,
        waits: null,
      });
      // Nothing that happened later is in an answer for an earlier height.
      const past = await ask<Record<string, { rehearsal: object }>>(`{ ${recorded('agreed')} }`, {
        'x-cosmos-block-height': `${rehearsedAt}`,
      });
      expect(past.works).toEqual({ rehearsal: { agreed: null } });
      await expect
        .poll(() => ask('{ archive { rehearsalsCompared rehearsalsAgreed } }'), { timeout: 20_000 })
        .toEqual({ archive: { rehearsalsCompared: '3', rehearsalsAgreed: '2' } });
    },
  );
});
