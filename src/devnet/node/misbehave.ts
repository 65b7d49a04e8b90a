import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { encodeFailure } from '../../chain/rpc/envelope.ts';
import { invalidRequest } from '../../chain/rpc/rpcError.ts';
import type { Dispatch } from './dispatch.ts';
import type { AnswerFault, NodeCall } from './faults/faults.ts';
import { json, send } from './reply.ts';

/** Answers wrongly, as a fault says. False when the right answer is still wanted, as for `cut`. */
export async function misbehave(fault: AnswerFault, { faults }: Dispatch, response: ServerResponse): Promise<boolean> {
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
      for (let sent = 0; sent < faults.oversizeBytes && !response.destroyed; sent += chunk.length) {
        if (!response.write(chunk)) await once(response, 'drain', { signal: left.signal }).catch(() => undefined);
      }
      response.end('"}');
      return true;
    }
  }
}

/** The fault that an answer to these calls has now. */
export function answerFault(dispatch: Dispatch, calls: readonly NodeCall[]): AnswerFault | undefined {
  const { answer: fault } = dispatch.faults;
  return typeof fault === 'function' ? fault(calls) : fault;
}
