import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** A response as read from its bytes. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A server under attack. */
export interface Target {
  readonly stack: Stack;
  readonly chain: TestChain;
  /** Sends raw bytes on a new connection, and reads until it is closed or a response is complete. */
  raw(bytes: string | Buffer): Promise<RawAnswer>;
  /** Sends a GraphQL document by POST. */
  post(query: string, options?: { readonly variables?: unknown; readonly accept?: string }): Promise<Response>;
  /** Checks that a regular request works, that no failure was masked, and that no rejection is unhandled. */
  isWell(): Promise<void>;
  close(): Promise<void>;
}

/** Timeout of polls, in ms: more than any machine needs. */
export const longPoll = { timeout: 60_000 } as const;

/** Both media types of a response, with the status of a request error in each. */
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

/** Reads one HTTP response from a socket. */
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

/**
 * Starts a server with a chain whose blocks the test makes: with `nodes` of its nodes (default 1), or with the nodes at the
 * URLs from `over`.
 */
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
      await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
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

/** A server whose first node is behind a gateway. */
export interface GuardedTarget extends Target {
  readonly gateway: Gateway;
}

/**
 * Starts such a server with `beside` further nodes (default 0), and waits until it has the newest block. For the final check,
 * the gateway forwards the responses of its node.
 */
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
