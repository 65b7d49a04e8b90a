import { afterAll, expect, test } from 'vitest';
import { hasNginx } from '../../bench/fleet/proxy.ts';
import { runFleet } from '../../bench/fleet/runFleet.ts';
import { hasPostgres } from '../support/archive/postgres.ts';
import { runsAll } from '../support/atRandom.ts';
import { builtProgram } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { hasRedis } from '../support/redis.ts';

const programs = [
  ['redis-server', hasRedis],
  ['postgresql', hasPostgres],
  ['nginx', hasNginx],
] as const;
const missing = programs.flatMap(([name, isThere]) => (isThere ? [] : [name]));
const note = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')})`;
// It starts seven servers, one after another, so it runs on build machines only.
let chain: TestChain | undefined;

afterAll(() => chain?.devnet.close());

test.runIf(runsAll && missing.length === 0)(
  `replicas behind nginx lose and repeat no event, and fail no request that is sent again, while each is restarted and one is killed${note}`,
  async () => {
    chain = await startChain();
    const { devnet, node } = chain;
    const commit = async (): Promise<number> => Number(await devnet.commit());
    const sizes = { replicas: 3, subscribers: 60, requests: 40, seconds: 2 };
    const { seen, asked, blocks, behind } = await runFleet(await builtProgram('main'), { url: node.url, commit }, sizes);
    expect(behind).toBe(0);
    expect(seen).toMatchObject({ lost: 0, repeated: 0, events: blocks * sizes.subscribers });
    expect(seen.resumed).toBeGreaterThan(0);
    expect(asked.requests).toBeGreaterThan(20);
    // The reasons say what to look for.
    expect([asked.failed, asked.failed === 0 ? [] : [...asked.reasons]]).toEqual([0, []]);
  },
  180_000,
);
