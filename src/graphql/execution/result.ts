import type { ExecutionResult } from 'graphql';

/** The result of an execution, whose data is JSON. */
export interface JsonResult extends Omit<ExecutionResult, 'data'> {
  /** The JSON of the data: `null` if an error reached the root. undefined if nothing was executed. */
  readonly data?: string;
}

/** The JSON of a result, with its members in their order. */
export function resultJson(result: JsonResult): string {
  const { data, ...others } = result;
  if (data === undefined) return JSON.stringify(others);
  const members = Object.entries(result).flatMap(([name, value]) => {
    const json = name === 'data' ? data : JSON.stringify(value);
    return json === undefined ? [] : `"${name}":${json}`;
  });
  return `{${members.join()}}`;
}
