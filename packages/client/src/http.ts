import { connectionError, errorOf, SteleError } from './errors.ts';
import type { RawResult } from './result.ts';
import type { Operation } from './socket.ts';
import type { Tokens } from './tokens.ts';

/** Sends operations over HTTP. */
export interface Http {
  /** Sends an operation. If the token is refused, sends it once more with a new one. Rejects if the whole operation failed. */
  query(operation: Operation, signal: AbortSignal | undefined): Promise<RawResult>;
  /** The results of a subscription, as server-sent events. Ends when it is complete. Fails with CONNECTION_FAILED if the connection is lost. */
  events(operation: Operation, signal: AbortSignal): AsyncGenerator<RawResult>;
}

/** The server sends a comment more often than this on a stream without events, in ms. */
const longestSilence = 30_000;

/** Decodes a result, or the error of a response without one. */
async function readResult(response: Response): Promise<RawResult> {
  try {
    const result: RawResult = JSON.parse(await response.text());
    if (typeof result === 'object' && result !== null) return result;
  } catch {
    // Fails below.
  }
  throw connectionError(`The answer with status ${response.status} is not a GraphQL result.`, { status: response.status });
}

/** Returns a result, or throws its first error if it has no data. */
function dataOf(result: RawResult): RawResult {
  const [error] = result.errors ?? [];
  if (error !== undefined && (result.data ?? null) === null) throw errorOf(error);
  return result;
}

/** The data of a server-sent event, by its name. */
function eventOf(frame: string): { readonly name: string; readonly data: string } {
  const fields = new Map(frame.split('\n').map((line) => [line.replace(/:.*/, ''), line.replace(/^\w*: ?/, '')]));
  return { name: fields.get('event') ?? '', data: fields.get('data') ?? '' };
}

/** Creates the HTTP side of a client. */
export function createHttp(url: string, tokens: Tokens): Http {
  async function post(operation: Operation, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const body = JSON.stringify(operation);
    for (let isSecond = false; ; isSecond = true) {
      const token = await tokens.get();
      const headers = {
        accept,
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      try {
        const response = await fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) });
        if (response.status !== 401 || !tokens.refuse(token) || isSecond) return response;
        await response.body?.cancel();
      } catch (cause) {
        signal?.throwIfAborted();
        throw connectionError('The server was not reached.', {}, cause);
      }
    }
  }

  return {
    async query(operation, signal) {
      return dataOf(await readResult(await post(operation, 'application/json', signal)));
    },
    async *events(operation, outer) {
      const controller = new AbortController();
      const leave = (): void => controller.abort(outer.reason);
      outer.addEventListener('abort', leave);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const heard = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => controller.abort(), longestSilence);
      };
      try {
        heard();
        outer.throwIfAborted();
        const response = await post(operation, 'text/event-stream', controller.signal);
        const { body } = response;
        if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
          dataOf(await readResult(response));
          throw connectionError('The answer is not a stream.', { status: response.status });
        }
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        for (let text = ''; ; ) {
          const { done, value } = await reader.read();
          if (done) throw connectionError('The connection was lost.');
          heard();
          const frames = (text + value).split('\n\n');
          text = frames.pop() ?? '';
          for (const frame of frames) {
            const { name, data } = eventOf(frame);
            if (name === 'complete') return;
            if (name === 'next') yield dataOf(JSON.parse(data));
          }
        }
      } catch (cause) {
        outer.throwIfAborted();
        throw cause instanceof SteleError ? cause : connectionError('The connection was lost.', {}, cause);
      } finally {
        clearTimeout(timer);
        outer.removeEventListener('abort', leave);
        controller.abort();
      }
    },
  };
}
