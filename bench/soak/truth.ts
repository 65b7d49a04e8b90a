import type { Devnet } from '../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';

/** The errors found in the responses of a server. */
export interface Findings {
  events: number;
  resumes: number;
  /** Streams that the server ended, by code. */
  readonly endings: Map<string, number>;
  /** Heights that a stream missed. */
  gaps: number;
  /** Heights that a stream repeated, or sent after a higher one. */
  repeats: number;
  queries: number;
  /** Failed queries, by code. A fault of all nodes can make one fail. */
  readonly failures: Map<string, number>;
  /** Responses with another height than requested, or with the hash of another block. */
  wrong: number;
  /** The first few errors, as text. */
  readonly examples: string[];
}

/** No errors. */
export function createFindings(): Findings {
  return {
    ...{ events: 0, resumes: 0, gaps: 0, repeats: 0, queries: 0, wrong: 0 },
    endings: new Map(),
    failures: new Map(),
    examples: [],
  };
}

/** Increments a counter. */
export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Records an example of an error. */
export function example(findings: Findings, text: string): void {
  if (findings.examples.length < 10) findings.examples.push(text);
}

/** The reference: the blocks of a node without faults that the server does not use. */
export interface Truth {
  /** The newest block. */
  height(): bigint;
  /** Records a hash that a client received for a height. */
  claim(height: bigint, hash: string): void;
  /** Compares all recorded hashes with the chain. Returns the number of wrong hashes. */
  check(findings: Findings): Promise<void>;
}

/** Creates the reference. */
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
