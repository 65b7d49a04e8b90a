import { hasPostgres } from '../../test/support/archive/postgres.ts';
import { hasRedis } from '../../test/support/redis.ts';
import { buildOf, startChild } from '../child.ts';
import { readFlags } from '../flags.ts';
import { hasNginx } from './proxy.ts';
import { runFleet } from './runFleet.ts';

/**
 * Runs replicas behind nginx, with Redis and PostgreSQL, under load, restarts each in turn and kills one. Prints the events that were lost or
 * repeated, and the requests that failed. Flags: `--replicas`, `--subscribers`, `--requests` a second, `--seconds` between the steps.
 */
export async function fleet(args: readonly string[]): Promise<void> {
  if (!hasRedis || !hasPostgres || !hasNginx) throw new Error('redis-server, postgresql and nginx of Debian are needed');
  const { numbers } = readFlags(args, {
    replicas: { default: 3, max: 10 },
    subscribers: { default: 1_000, max: 20_000 },
    requests: { default: 200, max: 5_000 },
    seconds: { default: 10, max: 600 },
  });
  const devnet = await startChild('devnet', ['10']);
  let height = 10;
  const chain = {
    url: devnet.url,
    async commit() {
      await devnet.run('commit');
      height += 1;
      return height;
    },
  };
  const { seen, asked, blocks, behind } = await runFleet(await buildOf('main', '../src/main.ts'), chain, numbers);
  await devnet.stop();
  const times = asked.times.toSorted((one, other) => one - other);
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(0);
  const wanted = blocks * numbers.subscribers;
  console.log(`${numbers.replicas} replicas, ${numbers.subscribers} subscribers, ${numbers.requests} requests a second\n`);
  console.log(`blocks ${blocks}; events ${seen.events} of ${wanted}; lost ${seen.lost}; repeated ${seen.repeated}`);
  console.log(`subscribers behind at the end ${behind}; subscriptions resumed ${seen.resumed}`);
  console.log(`requests ${asked.requests}; sent again ${asked.retried}; failed twice ${asked.failed}`);
  console.log(`ms with the retry: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(0.999999)}`);
  console.log(`reasons: ${JSON.stringify(Object.fromEntries(asked.reasons))}`);
}
