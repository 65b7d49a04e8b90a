import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { emptyDatabase, hasPostgres, type PostgresHost, postgresNote, startHost } from '../support/archive/postgres.ts';
import { runsAll } from '../support/atRandom.ts';
import { type GroupStack, startGroupStack } from '../support/groupStack.ts';
import { submitProposal } from '../support/groups.ts';

describe.skipIf(!hasPostgres)(`a host of PostgreSQL that is gone without closing connections${postgresNote}`, () => {
  let host: PostgresHost;
  let opened: GroupStack;

  beforeAll(async () => {
    host = await startHost(await emptyDatabase());
    opened = await startGroupStack({ archive: { records: { kind: 'postgres', url: host.url, queryTimeout: 1_000 } } });
  });
  afterAll(async () => {
    await opened.close();
    await host.close();
  });

  it.runIf(runsAll)(
    'fails reads of records in time, and nothing else; recording continues when it is back',
    async () => {
      const { chain, stack, group } = opened;
      const { recording, reader } = archiveOf(stack.client.archive())!;
      const id = await submitProposal(chain, group, chain.accounts[0]!);
      const held = chain.devnet.height;
      await reader.waitFor(held, { milliseconds: 20_000 });
      const records = `{ proposalRecords(first: 1) { nodes { id } } }`;
      const at = { 'x-cosmos-block-height': held.toString() };
      expect((await stack.ask(records, {}, at)).body.data).toEqual({ proposalRecords: { nodes: [{ id: `${id}` }] } });

      host.freeze();
      const missed = await chain.devnet.commit().then(() => submitProposal(chain, group, chain.accounts[1]!));
      const begun = performance.now();
      const [failed, other] = await Promise.all([
        Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            stack.ask(`{ proposalRecord(id: "${id}") { id title_${index}: title } }`, {}, at),
          ),
        ),
        stack.ask(`{ proposal(id: "${missed}") { id } }`, {}, { 'x-min-height': chain.devnet.height.toString() }),
      ]);
      // Four connections wait for a response, and then new ones cannot connect within five seconds.
      expect(performance.now() - begun).toBeLessThan(15_000);
      expect(failed.map(({ body }) => body.errors?.map(({ extensions }) => extensions.code))).toEqual(
        failed.map(() => ['ARCHIVE_UNAVAILABLE']),
      );
      expect(other.body.data).toEqual({ proposal: { id: `${missed}` } });
      await expect
        .poll(() => recording.status(), { timeout: 20_000 })
        .toMatchObject({ state: 'PAUSED', trouble: 'ARCHIVE_DATABASE' });

      host.restart();
      const { height } = chain.devnet;
      await reader.waitFor(height, { milliseconds: 60_000 });
      expect(recording.status().state).toBe('RECORDING');
      const now = { 'x-cosmos-block-height': height.toString() };
      const { body } = await stack.ask(
        '{ proposalRecords(first: 2) { nodes { id } } archive { coverage { from to } } }',
        {},
        now,
      );
      expect(body.data).toMatchObject({
        proposalRecords: { nodes: [{ id: `${missed}` }, { id: `${id}` }] },
        archive: { coverage: [{ to: height.toString() }] },
      });
    },
    120_000,
  );
});
