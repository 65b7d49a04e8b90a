import { isChainError } from '../base/errors.ts';
import type { JsonObject } from './json.ts';

/** What the application said to a query that it refused: the cause of the error that this is. */
export class AbciRefusal extends Error {
  override readonly name = 'AbciRefusal';
  /** Member `response` of the result, as the node printed it. */
  readonly response: JsonObject;

  constructor(response: JsonObject) {
    super('The application refused the read.');
    this.response = response;
  }
}

/** Texts by which modules say, under code 6, that there is no such thing. */
const absences =
  /(^|: )(marker )?not found(:|$)|fee-grant not found|^no address bound to name|^scope specification not found|^can't get the tally of a proposal with status/;

/** Whether a refusal means that there is no such thing. A pruned height says "not found" too, under another code. */
export function isAbsence({ abciCode, log }: { readonly abciCode: number; readonly log: string }): boolean {
  return abciCode === 22 || (abciCode === 6 && absences.test(log));
}

/** Services that read the state of a height; that of transactions reads an index, that of the node the node. Their few methods that simulate are not asked at a height. */
const ofState = /^\/[\w.]+\.Query\/\w+$/;

/** Longest log of a refusal that is worth keeping, in characters. */
const longestLog = 1024;

/**
 * The refusal that a read of a height always gets: a module's word, from the state of that height, that there is no such thing. undefined for every
 * other failure. A node tells the height in what its modules refuse, and 0 in what it refuses itself: heights that are pruned or to come, paths
 * that it has not, panics (seen in all refusals of the recordings).
 */
export function cacheableRefusal(error: unknown, path: string, height: bigint): JsonObject | undefined {
  if (!isChainError(error, 'ABCI_QUERY_FAILED') || !(error.cause instanceof AbciRefusal) || !ofState.test(path))
    return undefined;
  const { response } = error.cause;
  const { codespace, log } = error.facts;
  const isOfHeight = response.height === height.toString() && codespace === 'sdk';
  return isOfHeight && log.length <= longestLog && isAbsence(error.facts) ? response : undefined;
}
