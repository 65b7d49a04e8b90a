import { runInNewContext } from 'node:vm';

interface Script {
  readonly listen: string;
  readonly script: { readonly exec: readonly string[] };
}

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly event?: readonly Script[];
  readonly request?: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: { readonly raw: string };
    readonly body?: { readonly raw: string };
  };
}

/** A collection in the Postman format v2.1. */
export interface Collection extends Item {
  readonly info: { readonly schema: string };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly event: readonly Script[];
}

/** The response to one request of a collection. */
export interface Sent {
  readonly name: string;
  readonly url: string;
  readonly status: number;
}

/** The number of requests of a collection. Until the server has read the examples of its chain, it has few. */
export function requestsOf({ item = [], request }: Pick<Item, 'item' | 'request'>): number {
  return item.reduce((sum, each) => sum + requestsOf(each), request === undefined ? 0 : 1);
}

/** Runs a collection as Postman does: variables, the scripts before and after, and the requests in order. */
export async function runCollection(collection: Collection): Promise<readonly Sent[]> {
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  const replace = (text: string): string => {
    const replaced = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name)!);
    return replaced === text ? text : replace(replaced);
  };
  const sent: Sent[] = [];

  async function runScripts(scripts: readonly Script[] | undefined, listen: string, body?: string): Promise<void> {
    const pending: Promise<void>[] = [];
    type Asked = { url: string; method: string; header: Record<string, string>; body: { raw: string } };
    const sendRequest = (asked: Asked, done: (error: unknown, response?: object) => void): void => {
      const {
        url,
        method,
        header: headers,
        body: { raw },
      } = asked;
      pending.push(
        fetch(url, { method, headers, body: raw }).then(async (response) => {
          const grant = (await response.json()) as unknown;
          done(null, { code: response.status, json: () => grant });
        }),
      );
    };
    const collectionVariables = {
      get: (name: string) => variables.get(name),
      set: (name: string, value: string) => variables.set(name, value),
      replaceIn: replace,
    };
    const pm = { collectionVariables, sendRequest, response: { json: () => JSON.parse(body ?? '') as unknown } };
    for (const { script } of (scripts ?? []).filter((each) => each.listen === listen)) {
      runInNewContext(script.exec.join('\n'), { pm });
      await Promise.all(pending);
    }
  }

  async function runItem({ name, item, event, request }: Item): Promise<void> {
    for (const inner of item ?? []) await runItem(inner);
    if (request === undefined) return;
    await runScripts(collection.event, 'prerequest');
    const url = replace(request.url.raw);
    const own = request.header.map(({ key, value }) => [key, replace(value)] as const);
    const headers = { ...Object.fromEntries(own), authorization: replace('Bearer {{token}}') };
    const body = request.body === undefined ? null : replace(request.body.raw);
    const response = await fetch(url, { method: request.method, headers, body });
    const text = await response.text();
    sent.push({ name, url, status: response.status });
    await runScripts(event, 'test', text);
  }

  await runItem(collection);
  return sent;
}
