import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** What the subscribers of a fleet have seen. */
export interface Seen {
  events: number;
  /** Heights that were not delivered, and heights that were delivered twice. */
  lost: number;
  repeated: number;
  /** How often a subscriber connected again. */
  resumed: number;
}

/** A subscriber to blocks that resumes where it was cut off, on whatever server the load balancer chooses. */
export interface FleetSubscriber {
  /** The height of its last event. 0 before the first. */
  last(): number;
  stop(): void;
}

const retryPause = 200;

/** Subscribes to blocks after a height. `headers` has the token. */
export function subscribe(url: string, headers: Readonly<Record<string, string>>, after: number, seen: Seen): FleetSubscriber {
  let last = after;
  let isStopped = false;
  let current: ClientRequest | undefined;

  function note(height: number): void {
    seen.events += 1;
    if (height <= last) seen.repeated += 1;
    else seen.lost += height - last - 1;
    last = Math.max(last, height);
  }

  function open(): Promise<void> {
    return new Promise((resolve) => {
      const sent = request(
        `${url}/graphql`,
        {
          method: 'POST',
          agent: false,
          headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
        },
        (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (piece: string) => {
            rest += piece;
            const events = rest.split('\n\n');
            rest = events.pop() ?? '';
            for (const event of events) {
              const height = /"newBlock":\{"height":"(\d+)"/.exec(event)?.[1];
              if (height !== undefined) note(Number(height));
            }
          });
          response.on('error', () => resolve()).on('close', () => resolve());
        },
      );
      current = sent;
      sent.on('error', () => resolve());
      sent.end(
        JSON.stringify({
          query: 'subscription ($after: Int64) { newBlock(after: $after) { height } }',
          variables: { after: `${last}` },
        }),
      );
    });
  }

  void (async () => {
    while (!isStopped) {
      await open();
      if (isStopped) return;
      seen.resumed += 1;
      await pause(retryPause);
    }
  })();

  return {
    last: () => last,
    stop() {
      isStopped = true;
      current?.destroy();
    },
  };
}

/** What happened to the requests to a fleet. */
export interface Asked {
  requests: number;
  /** Requests that failed the first time. */
  retried: number;
  /** Requests that also failed the second time. */
  failed: number;
  /** Duration of each request with its retry, in ms. */
  readonly times: number[];
  /** Reasons of first failures. */
  readonly reasons: Map<string, number>;
}

/** Sends a request, over a connection that is kept. Resolves to undefined, or to the reason why it failed. */
function send(url: string, agent: Agent, headers: Readonly<Record<string, string>>, body: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request(
      `${url}/graphql`,
      { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => {
          const code = /"code":"(\w+)"/.exec(text)?.[1];
          resolve(response.statusCode === 200 && code === undefined ? undefined : `${response.statusCode} ${code ?? ''}`);
        });
        response.on('error', (error) => resolve(error.message));
      },
    );
    sent.on('error', (error) => resolve(error.message));
    sent.end(body);
  });
}

/** Sends `perSecond` requests a second until `signal` is aborted. A request that fails is sent once more. Resolves when all have ended. */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: {
    readonly perSecond: number;
    readonly bodies: readonly string[];
    readonly signal: AbortSignal;
    readonly asked: Asked;
  },
): Promise<void> {
  const { perSecond, bodies, signal, asked } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const open = new Set<Promise<void>>();
  const one = async (body: string): Promise<void> => {
    const began = performance.now();
    const reason = await send(url, agent, headers, body);
    if (reason !== undefined) {
      asked.retried += 1;
      asked.reasons.set(reason, (asked.reasons.get(reason) ?? 0) + 1);
      const again = await send(url, agent, headers, body);
      if (again !== undefined) {
        asked.failed += 1;
        asked.reasons.set(`again: ${again}`, (asked.reasons.get(`again: ${again}`) ?? 0) + 1);
      }
    }
    asked.times.push(performance.now() - began);
  };
  const began = performance.now();
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    while (asked.requests < due) {
      const body = bodies[asked.requests % bodies.length] ?? '';
      asked.requests += 1;
      const sent = one(body).finally(() => open.delete(sent));
      open.add(sent);
    }
    await pause(5);
  }
  await Promise.all(open);
  agent.destroy();
}
