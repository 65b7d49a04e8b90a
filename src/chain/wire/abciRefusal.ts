import { isChainError } from '../base/errors.ts';
import type { JsonObject } from './json.ts';

/** The response of the application to a query that it refused. It is the cause of the ChainError for that query. */
export class AbciRefusal extends Error {
  override readonly name = 'AbciRefusal';
  /** Member `response` of the result, as the node printed it. */
  readonly response: JsonObject;

  constructor(response: JsonObject) {
    super('The application refused the query.');
    this.response = response;
  }
}

/** Texts of code 6 with which modules report that an object does not exist. */
const absences =
  /(^|: )(marker )?not found(:|$)|fee-grant not found|^no address bound to name|^scope specification not found|^can't get the tally of a proposal with status/;

/**
 * Whether a refusal means that the object does not exist. Queries at a pruned height also fail with "not found", but with
 * another code.
 */
export function isAbsence({ abciCode, log }: { readonly abciCode: number; readonly log: string }): boolean {
  return abciCode === 22 || (abciCode === 6 && absences.test(log));
}

/**
 * Query services, which read state at a height. The services for transactions and nodes read an index or the node itself and
 * are not matched. Methods of query services that simulate are not called at a height.
 */
const ofState = /^\/[\w.]+\.Query\/\w+$/;

/** Longest log of a refusal that is cached, in characters. */
const longestLog = 1024;

/**
 * The response to cache if a query at a height always fails the same way: the module reports, from the state at that height,
 * that the object does not exist. Returns undefined for every other error. Modules set the response's height; the node sets 0
 * when it refuses a query itself (pruned or future height, unknown path, panic), as all recorded refusals show.
 */
export function cacheableRefusal(error: unknown, path: string, height: bigint): JsonObject | undefined {
  if (!isChainError(error, 'ABCI_QUERY_FAILED') || !(error.cause instanceof AbciRefusal) || !ofState.test(path))
    return undefined;
  const { response } = error.cause;
  const { codespace, log } = error.facts;
  const isOfHeight = response.height === height.toString() && codespace === 'sdk';
  return isOfHeight && log.length <= longestLog && isAbsence(error.facts) ? response : undefined;
}
