import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { encodeFailure } from '../../../../src/chain/rpc/requests.ts';
import { invalidRequest } from '../../../../src/chain/rpc/rpcErrors.ts';
import type { Dispatch } from './dispatch.ts';
import type { NodeCall, ResponseFault } from './faults/faults.ts';
import { json, send } from './reply.ts';

/** Sends the faulty response. Returns false if the fault needs the regular response, as for `cut`. */
export async function injectResponseFault(
  fault: ResponseFault,
  { faults }: Dispatch,
  response: ServerResponse,
): Promise<boolean> {
  switch (fault) {
    case 'cut':
      return false;
    case 'never':
      return true;
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'garbage':
      send(response, json(200, '{"jsonrpc":"2.0",,'));
      return true;
    case 'badGateway':
      send(response, { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>', type: 'text/html' });
      return true;
    case 'tooManyRequests':
      response.setHeader('Retry-After', String(faults.retryAfter));
      send(response, { status: 429, body: 'too many requests\n', type: 'text/plain; charset=utf-8' });
      return true;
    case 'idless':
      send(response, json(200, encodeFailure(undefined, invalidRequest('refused'))));
      return true;
    case 'oversize': {
      const chunk = Buffer.alloc(65536, 'x');
      const left = new AbortController();
      response.once('close', () => left.abort());
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"jsonrpc":"2.0","id":1,"result":"');
      for (let sentBytes = 0; sentBytes < faults.oversizeBytes && !response.destroyed; sentBytes += chunk.length) {
        if (!response.write(chunk)) await once(response, 'drain', { signal: left.signal }).catch(() => undefined);
      }
      response.end('"}');
      return true;
    }
  }
}

/** Returns the current fault of the response to these calls. */
export function responseFault(dispatch: Dispatch, calls: readonly NodeCall[]): ResponseFault | undefined {
  const { answer: fault } = dispatch.faults;
  return typeof fault === 'function' ? fault(calls) : fault;
}
