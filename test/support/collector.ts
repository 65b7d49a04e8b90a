import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly string[];
  /** 2 for an error. */
  readonly status: number | undefined;
  /** The attributes of the process that it is of. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector of OpenTelemetry that receives spans over HTTP (OTLP, in JSON or in protobuf). */
export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Everything that was sent, as text. */
  readonly received: string[];
  readonly headers: IncomingHttpHeaders[];
  /** The spans as an indented list of names with some of their attributes, children below their parents. */
  tree(...shown: readonly string[]): string;
  /** The tree of one trace, with the processes of its spans. */
  treeOf(traceId: string, processes: ReadonlyMap<unknown, string>): string;
  close(): Promise<void>;
}

interface Value {
  readonly arrayValue?: { readonly values: readonly Value[] };
}

/** The value in OTLP's JSON, which names its type. */
function typedValue(value: Value): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(typedValue);
  return Object.values(value)[0];
}

type SentAttributes = readonly { readonly key: string; readonly value: Value }[];

type SentSpan = Omit<ReceivedSpan, 'attributes' | 'events' | 'links' | 'status' | 'resource'> & {
  readonly attributes: SentAttributes;
  readonly events: readonly { readonly name: string }[];
  readonly links: readonly { readonly traceId: string }[];
  readonly status: { readonly code?: number };
};

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

function spansIn(sent: Sent): ReceivedSpan[] {
  const valuesOf = (attributes: SentAttributes) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, typedValue(value)]));
  const all = sent.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ span, resource: valuesOf(resource.attributes) }))),
  );
  return all.map(({ span, resource }) => ({
    ...span,
    resource,
    attributes: valuesOf(span.attributes),
    events: span.events.map(({ name }) => name),
    links: span.links.map(({ traceId }) => traceId),
    status: span.status.code,
  }));
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const received: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    received.push(body.toString('latin1'));
    headers.push(request.headers);
    if (request.headers['content-type'] === 'application/json') spans.push(...spansIn(JSON.parse(body.toString()) as Sent));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  /** `factsOf` describes a span in the line of its name. */
  function treeOf(shown: readonly ReceivedSpan[], factsOf: (span: ReceivedSpan) => string): string {
    const lines = (parent: string | undefined, indent: string): string[] =>
      shown
        .filter(({ parentSpanId, spanId }) =>
          parent === undefined
            ? !shown.some((each) => each.spanId === parentSpanId && spanId !== parentSpanId)
            : parentSpanId === parent,
        )
        .toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
        .flatMap((span) => [
          `${indent}${span.name}${factsOf(span)}${span.status === 2 ? ' ERROR' : ''}`,
          ...lines(span.spanId, `${indent}  `),
        ]);
    return lines(undefined, '').join('\n');
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    headers,
    tree: (...shown) =>
      treeOf(spans, ({ attributes, events }) => {
        const facts = shown.filter((key) => key in attributes).map((key) => ` ${key.split('.').at(-1)}=${attributes[key]}`);
        return `${facts.join('')}${events.length === 0 ? '' : ` [${events.join(', ')}]`}`;
      }),
    treeOf: (traceId, processes) =>
      treeOf(
        spans.filter((span) => span.traceId === traceId),
        ({ resource }) => ` (${processes.get(resource['process.pid'])})`,
      ),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
