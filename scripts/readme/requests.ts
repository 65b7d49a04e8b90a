import { z } from 'zod';

/** A request as the server logs it when it has ended. `code` is `OK` or the code of its first error, also of a GraphQL error within status 200. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly code: string;
  readonly status: number;
  readonly surface: string;
  readonly operation?: string | undefined;
}

const requestSchema = z.object({
  msg: z.literal('request'),
  requestId: z.string(),
  code: z.string(),
  status: z.number(),
  surface: z.string(),
  operation: z.string().optional(),
});

const logLineSchema = z.object({ level: z.string(), time: z.string(), msg: z.string() });

const failureSchema = z.object({ level: z.literal('error'), error: z.string() });

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Parses the output of a server: its requests, and the failures that it logs. `others` are the lines that are no log lines. */
export function readLog(output: string): {
  readonly requests: readonly LoggedRequest[];
  readonly failures: readonly string[];
  readonly others: string;
} {
  const lines = output.split('\n');
  const values = lines.map(jsonOf);
  return {
    others: lines.filter((_, index) => !logLineSchema.safeParse(values[index]).success).join('\n'),
    requests: values.flatMap((value) => requestSchema.safeParse(value).data ?? []),
    failures: values.flatMap((value) => failureSchema.safeParse(value).data?.error ?? []),
  };
}

/**
 * Describes the first request that failed although the text around the block (`announced`) names neither its error code nor its status; undefined if
 * there is none. A stream that the reader ends is no failure.
 */
export function unannouncedFailure(requests: readonly LoggedRequest[], announced: string): string | undefined {
  const names = (word: string): boolean => new RegExp(`(?<![\\w.])${word}(?![\\w.]*\\w)`).test(announced);
  const failed = requests.find(
    ({ code, status }) =>
      (status >= 400 || (code !== 'OK' && code !== 'CANCELLED')) && !names(code) && !(status >= 400 && names(`${status}`)),
  );
  if (failed === undefined) return undefined;
  const { surface, operation, code, status } = failed;
  return `a request${operation === undefined ? '' : ` (${operation})`} at ${surface} had the status ${status} and the code ${code}, which the text does not announce`;
}
