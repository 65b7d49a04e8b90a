import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** An answer as its bytes say. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A server under attack. */
export interface Target {
  readonly stack: Stack;
  readonly chain: TestChain;
  /** Sends bytes as they are on a connection of their own, and reads until it is closed or an answer is whole. */
  raw(bytes: string | Buffer): Promise<RawAnswer>;
  /** Sends a GraphQL document by POST. */
  post(query: string, options?: { readonly variables?: unknown; readonly accept?: string }): Promise<Response>;
  /** The next honest request is served, nothing was masked, and no promise was left alone. */
  isWell(): Promise<void>;
  close(): Promise<void>;
}

/** Time for what comes of itself: more than any machine needs. */
export const patience = { timeout: 15_000 } as const;

/** Both types of answer, with the status that a request error has in each. */
export const accepts = { 'application/graphql-response+json': 400, 'application/json': 200 } as const;

function parseAnswer(bytes: Buffer): RawAnswer | undefined {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined;
  return { status: Number(first.split(' ')[1]), headers, body };
}

/** Reads one answer of a socket. */
export async function answerOn(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    const answer = parseAnswer(Buffer.concat(chunks));
    if (answer !== undefined) return answer;
  }
  throw new Error(`no answer, but ${Buffer.concat(chunks).toString('latin1').slice(0, 200)}`);
}

/** Opens a connection to a server. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

type StackOptions = NonNullable<Parameters<typeof startStack>[1]>;

/** Starts a server over a chain that stands still but for the test: over `nodes` of it (1), or those at the addresses that `over` gives. */
export async function startTarget({
  nodes = 1,
  over = ({ devnet }) => devnet.nodes.map(({ url }) => url),
  ...options
}: StackOptions & {
  readonly nodes?: number;
  readonly over?: (chain: TestChain) => readonly string[] | Promise<readonly string[]>;
} = {}): Promise<Target> {
  const chain = await startChain({ nodes });
  const stack = await startStack(await over(chain), options);
  const left: unknown[] = [];
  const leave = (reason: unknown): void => void left.push(reason);
  process.on('unhandledRejection', leave);
  const { url } = stack.server;
  return {
    stack,
    chain,
    async raw(bytes) {
      const socket = await open(url);
      socket.write(bytes);
      const answer = await answerOn(socket);
      socket.destroy();
      return answer;
    },
    post: (query, { variables, accept = 'application/graphql-response+json' } = {}) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify({ query, variables }),
      }),
    async isWell() {
      await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
      expect((await stack.ask('{ head { height } }')).body.data).toEqual({ head: { height: chain.devnet.height.toString() } });
      expect(stack.masked).toEqual([]);
      expect(left).toEqual([]);
    },
    async close() {
      process.off('unhandledRejection', leave);
      await stack.close();
      await chain.devnet.close();
    },
  };
}

/** A server whose first node stands behind a gateway. */
export interface GuardedTarget extends Target {
  readonly gateway: Gateway;
}

/** Starts one, over `beside` further nodes (0), once it has seen the newest block. The gateway says no more than its node when it is asked whether all is well. */
export async function startGuarded(options: StackOptions & { readonly beside?: number } = {}): Promise<GuardedTarget> {
  const { beside = 0, ...others } = options;
  let gateway: Gateway | undefined;
  const target = await startTarget({
    nodes: 1 + beside,
    async over({ devnet: { nodes } }) {
      const [first, ...rest] = nodes.map(({ url }) => url);
      gateway = await startGateway(first!);
      return [gateway.url, ...rest];
    },
    ...others,
  });
  await target.stack.client.head.ready();
  const guard = gateway!;
  return {
    ...target,
    gateway: guard,
    async isWell() {
      Object.assign(guard, { answer: undefined, message: undefined });
      await target.isWell();
    },
    async close() {
      await target.close();
      await guard.close();
    },
  };
}
