import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { smallId } from '../archive/largeArchive.ts';
import { serveLoad } from './load.ts';

/** The latencies of an honest client, in milliseconds from the scheduled time of each request. */
export interface HonestResult {
  readonly count: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const connections = 8;

/** A response that takes longer counts as a failure, in ms. */
const longPoll = 5_000;

/** Requests that are sent before the first that is counted, so that this process has compiled its code. */
const unmeasured = 50;

/** Number of requests after which one closes its connection, so that the next opens a new one. */
const perConnection = 10;

/** A document and the form of its response. */
interface Question {
  readonly query: string;
  readonly expected: RegExp;
}

const head: Question = { query: '{ head { height } }', expected: /^{"data":{"head":{"height":"\d+"}}/ };
const record: Question = {
  query: `{ proposalRecord(id: "${smallId}") { title status tally { yesCount } votes(first: 3) { nodes { voter { address } weight } } } }`,
  expected: /^{"data":{"proposalRecord":{"title":"Pay invoice .*"tally":{.*"weight":"1"/,
};
const page: Question = {
  query: '{ proposalRecords(first: 5) { nodes { id title status } } }',
  expected: /^{"data":{"proposalRecords":{"nodes":\[{"id":"\d+"/,
};

// Requests the head at a steady rate, without waiting for responses; over an archive also a record, and the first page of the records.
serveLoad<HonestResult>(async ({ url, token, attack, addresses = [] }, signal) => {
  const questions = attack === 'archive' ? [head, record, page] : [head];
  const perSecond = 50;
  const agent = new Agent({ connections, pipelining: 1 });
  const agents = addresses.map((localAddress) => new Agent({ connections: 1, pipelining: 1, localAddress }));
  const times: number[] = [];
  const failures: Record<string, number> = {};
  const running = new Set<Promise<void>>();
  const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };

  async function ask(index: number, due: number): Promise<void> {
    let kind: string | undefined;
    const { query, expected } = questions[index % questions.length] ?? head;
    const body = JSON.stringify({ query });
    try {
      const answer = await request(`${url}/graphql`, {
        ...{ method: 'POST', headers, body, dispatcher: agents[index % agents.length] ?? agent },
        reset: index % perConnection === 0,
        signal: AbortSignal.timeout(longPoll),
      });
      const text = await answer.body.text();
      if (!expected.test(text)) kind = `${answer.statusCode} ${text.slice(0, 80)}`;
    } catch (error) {
      const { code, name } = Object(error);
      kind = typeof code === 'string' ? code : String(name);
    }
    if (index >= unmeasured) times.push(performance.now() - due);
    if (kind !== undefined) failures[kind] = (failures[kind] ?? 0) + 1;
  }

  const begun = performance.now();
  for (let index = 0; !signal.aborted; index += 1) {
    const due = begun + (index * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const own = ask(index, due).finally(() => running.delete(own));
    running.add(own);
  }
  await Promise.all(running);
  await Promise.all([agent, ...agents].map((each) => each.destroy()));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: times.length, failures, p50: at(0.5), p99: at(0.99), max: at(1) };
});
