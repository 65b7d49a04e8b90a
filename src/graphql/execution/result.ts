import type { ExecutionResult } from 'graphql';

/** The result of an execution, whose data is JSON. */
export interface JsonResult extends Omit<ExecutionResult, 'data'> {
  /** The JSON of the data: `null` if an error reached the root. undefined if nothing was executed. */
  readonly data?: string;
}

/** The JSON of a result, with its members in their order. */
export function resultJson(result: JsonResult): string {
  let members = '';
  for (const [name, value] of Object.entries(result)) {
    const json = name === 'data' ? result.data : JSON.stringify(value);
    if (json !== undefined) members += `${members === '' ? '' : ','}"${name}":${json}`;
  }
  return `{${members}}`;
}
