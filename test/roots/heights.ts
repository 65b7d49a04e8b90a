import type { Stack } from '../support/stack.ts';

/** An answer over HTTP, with where it came from. */
export interface SourcedAnswer {
  /** The JSON of `data`. */
  readonly data: string;
  readonly height: string;
  /** `made`, `kept` or `carried`. */
  readonly source: string;
}

const sources: Readonly<Record<string, string>> = {
  'stele; fwd=miss': 'made',
  'stele; hit': 'kept',
  'stele; hit; detail=carried': 'carried',
};

/** Asks for a query by POST, at the newest height or at another. */
export async function askAt({ server }: Stack, query: string, height?: bigint): Promise<SourcedAnswer> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(height !== undefined && { 'x-cosmos-block-height': height.toString() }),
    },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return {
    data: JSON.stringify(data),
    height: response.headers.get('x-cosmos-block-height') ?? '',
    source: sources[response.headers.get('cache-status') ?? ''] ?? 'unknown',
  };
}

/** Waits until a condition holds. Throws after thirty seconds. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within thirty seconds: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until a server knows the roots at a height. */
export function rootsKnown({ client }: Stack, height: bigint): Promise<void> {
  return until(`the roots at ${height} are known`, () => client.roots.timeAt(height) !== undefined);
}

/** Waits until a server has tried to learn the roots of this many heights. */
export function rootsTried({ client }: Stack, heights: number): Promise<void> {
  return until(`the roots of ${heights} heights were requested`, () => {
    const { learnt, failed } = client.roots.stats();
    return learnt + failed >= heights;
  });
}
