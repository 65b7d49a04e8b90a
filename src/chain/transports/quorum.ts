import { type ChainError, differing, isChainError, tooFewAgree } from '../base/errors.ts';
import { pause } from '../base/time.ts';
import { isJsonObject, type JsonObject, type JsonValue, objectAt } from '../wire/json.ts';
import { indexMethods, readClassOf } from './callTimes.ts';
import { failoverCodes, type NodePool } from './nodePool.ts';
import type { NodeState } from './nodeState.ts';
import type { CallOptions, QuorumCounts } from './transport.ts';

/**
 * What is compared of the results of some methods; of all others, the whole result. The members `log` and `info` are never compared, because nodes may differ in
 * them, nor `index` of an attribute, which each node sets as it is configured.
 */
const comparedParts: Readonly<Record<string, (result: JsonObject) => JsonValue | undefined>> = {
  abci_query: (result) => {
    const { code = 0, codespace = '', value = '', height = '' } = objectAt(result, 'response');
    return { code, codespace, value, height };
  },
  blockchain: ({ block_metas }) => block_metas,
  // The newest commit of each node has the signatures that this node has seen.
  commit: (result) => objectAt(result, 'signed_header').header,
};

/** Whether the answers of several nodes to a call can be compared. A proof speaks for itself, and a list of a raw store ignores the height. */
export function isCompared(method: string, params: JsonObject, height: bigint | undefined): boolean {
  if (readClassOf(method, params, height) === undefined) return false;
  return method !== 'abci_query' || (params.prove !== true && !String(params.path).endsWith('/subspace'));
}

/** JSON as a text that is the same for the same value: members are sorted, and those with a zero value or none are left out, because versions of a node differ in that. */
function canonicalText(value: JsonValue | undefined, name = ''): string {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map((item) => canonicalText(item, name)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(String(value));
  const isAttribute = name === 'attributes';
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    // The value of an attribute is a text, and may be "0".
    if (key === 'log' || key === 'info' || (isAttribute ? key === 'index' : member === '0')) continue;
    const memberText = canonicalText(member, key);
    if (memberText !== '') text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${memberText}`;
  }
  return text === '' ? '' : `{${text}}`;
}

/** What is compared of a result, as a text. */
export function comparedText(method: string, result: JsonValue): string {
  const part = comparedParts[method];
  return canonicalText(part === undefined || !isJsonObject(result) ? result : part(result));
}

/** What is compared of an error; undefined for one that says nothing of the chain. */
function comparedError(error: ChainError): string | undefined {
  if (isChainError(error, 'ABCI_QUERY_FAILED')) return `refused ${error.facts.codespace} ${error.facts.abciCode}`;
  return isChainError(error, 'RPC_ERROR') ? `error ${error.facts.rpcCode}` : undefined;
}

/** The results of an event of a block, as `block_results` has them. */
export function resultsOfEvent(value: JsonObject): JsonObject {
  const { events = null, tx_results = null, ...others } = objectAt(value, 'result_finalize_block');
  const { height = null } = objectAt(objectAt(value, 'block'), 'header');
  return { height, txs_results: tx_results, finalize_block_events: events, ...others };
}

/** Different answers to one call. */
export interface AnswerEvidence {
  /** `OUTVOTED`: most nodes gave another answer. `UNDECIDED`: no answer has a majority. */
  readonly kind: 'OUTVOTED' | 'UNDECIDED';
  /** The aliases of the nodes whose answer is in `received`. */
  readonly nodes: readonly string[];
  readonly chainId: string;
  readonly height: bigint | undefined;
  readonly method: string;
  readonly params: JsonObject;
  readonly received: JsonValue;
  /** The other answer, and the nodes that gave it. */
  readonly other: { readonly nodes: readonly string[]; readonly received: JsonValue };
}

/** An answer, and the nodes that gave it. */
interface Vote<T> {
  readonly nodes: NodeState[];
  readonly received: JsonValue;
  readonly outcome: { readonly value: T } | { readonly error: ChainError };
}

/** Waits in ms for a block that some nodes do not have yet. */
const heightWaits = [50, 100, 150, 300, 600];

/** Waits in ms for indexes that differ, most likely because one lags. */
const indexWaits = [100, 300, 600];

interface QuorumOptions {
  readonly pool: NodePool;
  /** Makes the call on one node. Failures are counted. */
  attempt<T>(node: NodeState, method: string, params: JsonObject, call: CallOptions<T>): Promise<T>;
  readonly onEvidence: ((evidence: AnswerEvidence) => void) | undefined;
}

/** Creates the calls that several nodes have to agree on. */
export function createQuorum({ pool, attempt, onEvidence }: QuorumOptions) {
  const counts = { AGREED: 0, OUTVOTED: 0, UNDECIDED: 0, TOO_FEW: 0 };

  /** Reports the answers that lost. A node that gave one is put aside, unless the call reads an index, which may honestly lack something. */
  function report(
    method: string,
    params: JsonObject,
    height: bigint | undefined,
    votes: readonly Vote<unknown>[],
    isDecided: boolean,
  ): void {
    const [first, ...others] = votes;
    for (const lost of others) {
      for (const node of lost.nodes) pool.differs(node, isDecided && !indexMethods.has(method));
      if (first === undefined || indexMethods.has(method)) continue;
      onEvidence?.({
        kind: isDecided ? 'OUTVOTED' : 'UNDECIDED',
        ...{ nodes: lost.nodes.map(({ alias }) => alias), chainId: lost.nodes[0]?.chainId ?? '', height, method, params },
        received: lost.received,
        other: { nodes: first.nodes.map(({ alias }) => alias), received: first.received },
      });
    }
  }

  /**
   * Asks nodes until `quorum` of them have given the same answer, and more than any other. `seed` is an answer that a node has given already. Rejects with NODE_INCONSISTENT
   * if no answer has a majority, or with NODE_UNREACHABLE if too few nodes have one.
   */
  async function agreed<T>(
    quorum: number,
    method: string,
    params: JsonObject,
    call: CallOptions<T>,
    seed?: { readonly node: NodeState; readonly received: JsonValue; readonly value: T },
  ): Promise<{ readonly value: T; readonly nodes: readonly NodeState[] }> {
    let votes = new Map<string, Vote<T>>();
    const tried = new Map<NodeState, ChainError | undefined>();
    let heights = 0;
    let indexes = 0;

    function vote(node: NodeState, text: string, received: JsonValue, outcome: Vote<T>['outcome']): void {
      const same = votes.get(text);
      if (same === undefined) votes.set(text, { nodes: [node], received, outcome });
      else same.nodes.push(node);
    }

    async function ask(node: NodeState): Promise<void> {
      let received: JsonValue = null;
      const decode = (result: JsonValue): T => {
        received = result;
        return call.decode(result);
      };
      try {
        const value = await attempt(node, method, params, { ...call, decode });
        vote(node, comparedText(method, received), received, { value });
      } catch (error) {
        if (call.signal?.aborted || !isChainError(error)) throw error;
        const text = comparedError(error);
        if (text !== undefined) return vote(node, text, received ?? error.message, { error });
        if (!failoverCodes.includes(error.code)) throw error;
        tried.set(node, error);
      }
    }

    /** The answers, the one of most nodes first. */
    const ranked = (): readonly Vote<T>[] => [...votes.values()].toSorted((a, b) => b.nodes.length - a.nodes.length);

    if (seed !== undefined) {
      tried.set(seed.node, undefined);
      vote(seed.node, comparedText(method, seed.received), seed.received, { value: seed.value });
    }
    for (;;) {
      const [first, second] = ranked();
      const [most, next] = [first?.nodes.length ?? 0, second?.nodes.length ?? 0];
      if (first !== undefined && most >= quorum && most > next) {
        counts[second === undefined ? 'AGREED' : 'OUTVOTED'] += 1;
        report(method, params, call.height, ranked(), true);
        if ('error' in first.outcome) throw first.outcome.error;
        return { value: first.outcome.value, nodes: first.nodes };
      }
      const calls: Promise<void>[] = [];
      for (const missing = Math.max(quorum - most, 1); calls.length < missing; ) {
        const node = pool.choose(call.height, indexMethods.has(method), tried);
        if (node === undefined) break;
        tried.set(node, undefined);
        calls.push(ask(node));
      }
      if (calls.length > 0) {
        await Promise.all(calls);
        continue;
      }
      const early = [...tried].filter(([, error]) => isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE'));
      const heightWait = heightWaits[heights];
      const isReached = call.height !== undefined && call.height <= (pool.accepted.newest?.height ?? 0n);
      if (early.length > 0 && heightWait !== undefined && isReached) {
        heights += 1;
        for (const [node] of early) tried.delete(node);
        await pause(heightWait, call.signal);
        continue;
      }
      const indexWait = second !== undefined && indexMethods.has(method) ? indexWaits[indexes] : undefined;
      if (indexWait === undefined) break;
      indexes += 1;
      votes = new Map();
      tried.clear();
      await pause(indexWait, call.signal);
    }
    if (votes.size > 1) {
      counts.UNDECIDED += 1;
      report(method, params, call.height, ranked(), false);
      throw differing(call.height);
    }
    counts.TOO_FEW += 1;
    const errors = [...tried.values()].filter((error) => error !== undefined);
    throw tooFewAgree(quorum, ranked()[0]?.nodes.length ?? 0, errors);
  }

  return { agreed, counts: (): QuorumCounts => ({ ...counts }) };
}
