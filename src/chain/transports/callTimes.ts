import type { JsonObject } from '../wire/json.ts';
import { simulatingMethods } from './transport.ts';

/** The methods that read an index, which may lag behind the blocks of its node, and may lack old ones (docs/chain.md, "Transaction index"). */
export const indexMethods: ReadonlySet<string> = new Set(['tx', 'tx_search', 'block_search']);

/** The methods that name what they read other than by a height. */
const byIdentity: ReadonlySet<string> = new Set(['tx', 'block_by_hash', 'header_by_hash']);

/** A class of methods that take about as long. */
export type MethodClass = 'STATE' | 'BLOCK' | 'RESULTS' | 'INDEX';

/** The methods that read the chain. Others tell something of the node itself, or change its state. */
const classes: Readonly<Record<string, MethodClass>> = {
  abci_query: 'STATE',
  block: 'BLOCK',
  block_by_hash: 'BLOCK',
  block_results: 'RESULTS',
  block_search: 'INDEX',
  blockchain: 'BLOCK',
  commit: 'BLOCK',
  consensus_params: 'BLOCK',
  header: 'BLOCK',
  header_by_hash: 'BLOCK',
  tx: 'INDEX',
  tx_search: 'INDEX',
  validators: 'BLOCK',
};

/** The class of a call that reads the chain at a height, so that every node has the same result; undefined for any other call, such as a simulation. */
export function readClassOf(method: string, params: JsonObject, height: bigint | undefined): MethodClass | undefined {
  if (!Object.hasOwn(classes, method) || (height === undefined && !byIdentity.has(method))) return undefined;
  if (method === 'abci_query') {
    const { path } = params;
    if (typeof path !== 'string' || params.height === '0' || simulatingMethods.test(path)) return undefined;
  }
  return classes[method];
}

/** Number of calls that count. */
const windowSize = 32;

/** The times of the last calls of a class to one node, in ms. */
export class CallTimes {
  readonly #times: number[] = [];
  #next = 0;
  #sorted: readonly number[] | undefined;
  /** The time before which a slow node is not tried again, by the monotonic clock. */
  nextTrial = 0;

  get size(): number {
    return this.#times.length;
  }

  add(milliseconds: number): void {
    this.#times[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % windowSize;
    this.#sorted = undefined;
  }

  clear(): void {
    this.#times.length = 0;
    this.#next = 0;
    this.#sorted = undefined;
  }

  /** The time within which this share of the calls ended; undefined without `least` calls. */
  quantile(share: number, least: number): number | undefined {
    if (this.#times.length < least) return undefined;
    this.#sorted ??= this.#times.toSorted((a, b) => a - b);
    return this.#sorted[Math.ceil(share * this.#sorted.length) - 1];
  }
}
