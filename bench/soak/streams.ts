import { request as createRequest, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

/** A block as a stream tells of it. */
export interface ToldBlock {
  readonly height: bigint;
  readonly hash: string;
}

/** What a stream tells of, in its order. */
export interface Audience {
  block(block: ToldBlock): void;
  /** The stream is over: the code of its error, `closed` where its connection went without a word. Called once. */
  over(code: string): void;
}

/** Where streams are opened. */
export interface StreamTarget {
  readonly url: string;
  readonly token: string;
}

/** Opens a stream of new blocks, of those above `after` where the protocol can resume; the function that it returns breaks it off. */
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

function tell({ data, errors }: Answer, audience: Audience): void {
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
    else if (type === 'next') tell(payload, audience);
    else if (type === 'error') tell({ errors: payload }, audience);
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
        if (frame.startsWith('event: next\ndata: ')) tell(JSON.parse(frame.slice('event: next\ndata: '.length)), audience);
    });
    response.on('error', () => undefined);
    response.on('close', () => audience.over('closed'));
  });
  request.end(JSON.stringify(payloadOf(after)));
  return () => request.destroy();
};

/** The node RPC has nothing to resume with: it begins at the head. */
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

/** The ways to hear of new blocks, with whether they resume, and how many of twenty subscribers take each. */
export const ways: readonly { readonly open: OpenStream; readonly resumes: boolean; readonly share: number }[] = [
  { open: graphqlSocket, resumes: true, share: 9 },
  { open: events, resumes: true, share: 8 },
  { open: rpcSocket, resumes: false, share: 3 },
];
