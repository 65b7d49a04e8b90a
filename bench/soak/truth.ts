import type { Devnet } from '../../src/devnet/devnet.ts';
import type { DevnetNode } from '../../src/devnet/node/node.ts';

/** What is wrong in what a server said. */
export interface Findings {
  events: number;
  resumes: number;
  /** Streams that the server ended, by code. */
  readonly endings: Map<string, number>;
  /** Heights that a stream passed over. */
  gaps: number;
  /** Heights that a stream told twice, or after a higher one. */
  repeats: number;
  queries: number;
  /** Queries that failed, by code: a fault of all nodes at once may fail one. */
  readonly failures: Map<string, number>;
  /** Answers of another height than was asked for, or with the hash of another block. */
  wrong: number;
  /** The first few of what is wrong, in words. */
  readonly examples: string[];
}

/** Nothing found yet. */
export function createFindings(): Findings {
  return {
    ...{ events: 0, resumes: 0, gaps: 0, repeats: 0, queries: 0, wrong: 0 },
    endings: new Map(),
    failures: new Map(),
    examples: [],
  };
}

/** Counts a key. */
export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Keeps an example of what is wrong. */
export function example(findings: Findings, text: string): void {
  if (findings.examples.length < 10) findings.examples.push(text);
}

/** What the chain has, asked of a node without faults that the server is not told of. */
export interface Truth {
  /** The newest block. */
  height(): bigint;
  /** Notes that somebody was told this hash at a height. */
  claim(height: bigint, hash: string): void;
  /** Compares all that was claimed with the chain: how many hashes are wrong. */
  check(findings: Findings): Promise<void>;
}

/** Makes it. */
export function createTruth(devnet: Devnet, oracle: DevnetNode): Truth {
  const claims = new Map<bigint, Map<string, number>>();

  async function hashAt(height: bigint): Promise<string> {
    const response = await fetch(`${oracle.url}/block?height=${height}`);
    const { result } = (await response.json()) as { readonly result?: { readonly block_id: { readonly hash: string } } };
    return result?.block_id.hash ?? 'no block';
  }

  return {
    height: () => devnet.height,
    claim(height, hash) {
      const known = claims.get(height) ?? new Map<string, number>();
      claims.set(height, known);
      count(known, hash);
    },
    async check(findings) {
      for (const [height, hashes] of claims) {
        const right = await hashAt(height);
        for (const [hash, times] of hashes) {
          if (hash === right) continue;
          findings.wrong += times;
          example(findings, `height ${height} has the hash ${right}, and ${hash} was answered ${times} times`);
        }
      }
    },
  };
}
