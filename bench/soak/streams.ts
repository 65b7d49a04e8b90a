import { request as createRequest, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

/** A block as received from a stream. */
export interface ToldBlock {
  readonly height: bigint;
  readonly hash: string;
}

/** Callbacks of a stream, called in order. */
export interface Audience {
  block(block: ToldBlock): void;
  /** Called once at the end of the stream, with the code of its error, or `closed` if the connection was closed without one. */
  over(code: string): void;
}

/** The target of streams. */
export interface StreamTarget {
  readonly url: string;
  readonly token: string;
}

/** Opens a stream of new blocks, above `after` if the protocol can resume. The returned function disconnects it. */
export type OpenStream = (target: StreamTarget, after: bigint | undefined, audience: Audience) => () => void;

const query = 'subscription Blocks($after: Int64) { newBlock(after: $after) { height hash } }';

function payloadOf(after: bigint | undefined): object {
  return { query, variables: { after: after?.toString() } };
}

interface Answer {
  readonly data?: { readonly newBlock: { readonly height: string; readonly hash: string } } | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

function once(over: (code: string) => void): (code: string) => void {
  let isOver = false;
  return (code) => {
    if (isOver) return;
    isOver = true;
    over(code);
  };
}

function notify({ data, errors }: Answer, audience: Audience): void {
  const block = data?.newBlock;
  if (block !== undefined) audience.block({ height: BigInt(block.height), hash: block.hash });
  else audience.over(errors?.[0]?.extensions?.code ?? 'an answer without data');
}

const graphqlSocket: OpenStream = ({ url, token }, after, { block, over }) => {
  const audience = { block, over: once(over) };
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data));
    if (type === 'connection_ack') socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: payloadOf(after) }));
    else if (type === 'next') notify(payload, audience);
    else if (type === 'error') notify({ errors: payload }, audience);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => audience.over('closed'));
  return () => socket.terminate();
};

const events: OpenStream = ({ url, token }, after, { block, over }) => {
  const audience = { block, over: once(over) };
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const request = createRequest(`${url}/graphql`, { method: 'POST', headers, agent: false });
  request.on('error', () => audience.over('closed'));
  request.on('response', (response: IncomingMessage) => {
    if (response.statusCode !== 200) audience.over(`status ${response.statusCode}`);
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames)
        if (frame.startsWith('event: next\ndata: ')) notify(JSON.parse(frame.slice('event: next\ndata: '.length)), audience);
    });
    response.on('error', () => undefined);
    response.on('close', () => audience.over('closed'));
  });
  request.end(JSON.stringify(payloadOf(after)));
  return () => request.destroy();
};

/** The node RPC cannot resume: it starts at the head. */
const rpcSocket: OpenStream = ({ url, token }, _after, { block, over }) => {
  const audience = { block, over: once(over) };
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/comet/websocket`, { headers });
  const call = { jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query: "tm.event='NewBlock'" } };
  socket.on('open', () => socket.send(JSON.stringify(call)));
  socket.on('message', (data) => {
    const { result, error } = JSON.parse(String(data));
    const value = result?.data?.value;
    if (error !== undefined) audience.over(`rpc ${error.code}`);
    else if (value !== undefined) audience.block({ height: BigInt(value.block.header.height), hash: value.block_id.hash });
  });
  socket.on('error', () => undefined);
  socket.on('close', () => audience.over('closed'));
  return () => socket.terminate();
};

/** The protocols for new blocks, with whether they can resume, and the number of subscribers out of twenty that use each. */
export const ways: readonly { readonly open: OpenStream; readonly resumes: boolean; readonly share: number }[] = [
  { open: graphqlSocket, resumes: true, share: 9 },
  { open: events, resumes: true, share: 8 },
  { open: rpcSocket, resumes: false, share: 3 },
];
