import { monitorEventLoopDelay } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { startChild } from './child.ts';

/** Connections that request boards, and how long, in seconds. */
const connections = 200;
const duration = 20;

/** A part of sorted values, such as 0.99. */
const part = (sorted: readonly number[], of: number): number => sorted[Math.floor(sorted.length * of)] ?? 0;

/**
 * Measures how long `{ head { height } }` takes while 200 connections request boards that are executed, and the delay of the
 * server's event loop. Prints the results.
 */
export async function loop(): Promise<void> {
  const devnet = await startChild('devnet', ['400']);
  const stele = await startChild('stele', [devnet.url]);
  const board = JSON.stringify({ query: boardDocument, variables: { policy: await busiestPolicy(stele.url) } });
  const head = JSON.stringify({ query: '{ head { height } }' });
  let distinct = 0;
  const load = (seconds: number): Promise<autocannon.Result> =>
    autocannon({
      url: `${stele.url}/graphql`,
      connections,
      duration: seconds,
      requests: [
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          setupRequest: (request) => ({ ...request, body: board.replace(/}$/, `,"extensions":{"n":${distinct++}}}`) }),
        },
      ],
    });
  await load(5);

  const boards = load(duration);
  const times: number[] = [];
  const own = monitorEventLoopDelay({ resolution: 1 });
  own.enable();
  await stele.run('watchLoop');
  let isRunning = true;
  void boards.then(() => {
    isRunning = false;
  });
  for (let count = 0; isRunning; count += 1) {
    const body = head.replace(/}$/, `,"extensions":{"n":${count}}}`);
    const begun = performance.now();
    await post(stele.url, body);
    times.push(performance.now() - begun);
  }
  const [lag, longest] = [await stele.run('loopDelay', 99), await stele.run('loopDelay', 100)];
  const { requests, latency, errors, non2xx } = await boards;
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} refusals`);
  times.sort((one, other) => one - other);

  console.log(`${connections} connections request boards that are executed, ${duration} s\n`);
  console.log(`boards:               ${requests.average.toFixed(0)} a second; p50 ${latency.p50} ms, p99 ${latency.p99} ms`);
  console.log(
    `{ head { height } }:  ${times.length} requests, one after the other; p50 ${part(times, 0.5).toFixed(1)} ms, p99 ${part(times, 0.99).toFixed(1)} ms, longest ${(times.at(-1) ?? 0).toFixed(1)} ms`,
  );
  console.log(`event loop, server:   delay p99 ${lag.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`);
  console.log(`event loop, load:     delay p99 ${(own.percentile(99) / 1e6).toFixed(1)} ms, part of the times above`);
  await Promise.all([stele.stop(), devnet.stop()]);
}
