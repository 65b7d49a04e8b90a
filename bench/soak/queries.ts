import type { Random } from '../../packages/devnet/src/app/runtime/random.ts';
import type { StreamTarget } from './streams.ts';
import { count, example, type Findings, type Truth } from './truth.ts';

/** Queries at a steady rate. */
export interface Queries {
  /** The longest time in ms for which responses at the head had a height that the chain had not reached yet. */
  longestAbove(): number;
  stop(): Promise<void>;
}

interface Body {
  readonly data?: { readonly block: { readonly height: string; readonly hash: string } | null } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** Sends a number of queries per second, alternately at the head and at fixed heights, and checks each response. */
export function startQueries(
  perSecond: number,
  options: { readonly target: StreamTarget; readonly random: Random; readonly truth: Truth; readonly findings: Findings },
): Queries {
  const { target, random, truth, findings } = options;
  const running = new Set<Promise<void>>();
  let aboveSince: number | undefined;
  let longest = 0;
  let asked = 0;

  /** Records the height of a response at the head. The height of the chain is read later, so it can only be higher. */
  function noteHead(height: bigint): void {
    const now = performance.now();
    if (height <= truth.height()) aboveSince = undefined;
    else {
      aboveSince ??= now;
      longest = Math.max(longest, now - aboveSince, 1);
    }
  }

  async function ask(named: bigint | undefined): Promise<void> {
    findings.queries += 1;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${target.token}`,
      ...(named !== undefined && { 'x-cosmos-block-height': named.toString() }),
    };
    // Each document is different, so no response is cached.
    const body = JSON.stringify({ query: `{ block { height hash } q${asked % 1_000}: __typename }` });
    const response = await fetch(`${target.url}/graphql`, { method: 'POST', headers, body });
    const readAt = response.headers.get('x-cosmos-block-height');
    if (named === undefined && readAt !== null) noteHead(BigInt(readAt));
    const { data, errors } = (await response.json()) as Body;
    const block = data?.block;
    if (block === undefined || block === null) return count(findings.failures, errors?.[0]?.extensions.code ?? 'null');
    const height = BigInt(block.height);
    truth.claim(height, block.hash);
    if (block.height === readAt && (named === undefined || named === height) && height <= truth.height()) return;
    findings.wrong += 1;
    example(
      findings,
      `height ${height} was answered, read at ${readAt}, asked for at ${named ?? 'the head'} of ${truth.height()}`,
    );
  }

  const timer = setInterval(() => {
    asked += 1;
    const recent = truth.height() - 2n - BigInt(random.below(100));
    const named = asked % 2 === 0 || recent < 1n ? undefined : recent;
    // Skips queries if the server cannot keep up.
    if (running.size >= 200) return count(findings.failures, 'not asked');
    const own = ask(named)
      .catch(() => count(findings.failures, 'no answer'))
      .finally(() => running.delete(own));
    running.add(own);
  }, 1_000 / perSecond);

  return {
    longestAbove: () => longest,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
