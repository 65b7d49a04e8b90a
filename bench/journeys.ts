import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { packAny } from '../packages/devnet/src/app/runtime/keeper.ts';
import { createAccounts, signTx } from '../packages/devnet/src/app/runtime/wallet.ts';
import { MsgSendSchema } from '../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { readFlags } from './flags.ts';
import type { Entered } from './journeys/coverage.ts';
import { lastRelease } from './journeys/lastRelease.ts';

/** A server, its node, and how to wait for a block in the archive. */
interface Stage {
  readonly node: Child;
  readonly stele: Child;
  /** Creates a block, with a vote if `hasVote`, and waits until the archive has it and the roots of the stores are learnt. Resolves with its height. */
  block(hasVote?: boolean): Promise<number>;
}

/** A journey: `prepare` is not counted, and what it returns is. */
type Journey = (stage: Stage) => Promise<() => Promise<unknown>>;

let distinct = 0;

/** A plain query: a group, its policies and its members. Its name makes each document a new one. */
function groupDocument(): string {
  distinct += 1;
  return `query Group${distinct}($id: ID!) {
    group(id: $id) { id metadata totalWeight policies(first: 5) { nodes { address } } members(first: 5) { nodes { weight account { address } } } }
  }`;
}

const request = (query: string, more: object = {}): string => JSON.stringify({ query, variables: { id: '1' }, ...more });

/** Subscribes over server-sent events. `next` resolves with the next event that has this text, `close` ends it. */
async function subscribe(url: string, query: string): Promise<{ next(text: string): Promise<void>; close(): Promise<void> }> {
  const stopping = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: stopping.signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!response.ok || reader === undefined) throw new Error(`subscription refused: ${response.status}`);
  return {
    async next(text) {
      for (let received = ''; !received.includes(text); ) {
        const { done, value } = await reader.read();
        if (done) throw new Error('the stream has ended');
        received += value;
      }
    },
    async close() {
      stopping.abort();
      await reader.closed.catch(() => undefined);
    },
  };
}

/** A journey of a block with a vote to one subscriber. `text` is in its event. */
function toSubscriber(query: string, text: string): Journey {
  return async ({ node, stele, block }) => {
    const subscription = await subscribe(stele.url, query);
    await stele.run('subscribed', 1);
    const first = subscription.next(text);
    await block(true);
    await first;
    return async () => {
      const event = subscription.next(text);
      await node.run('commit', true);
      await event;
      return async () => {
        await subscription.close();
        await stele.run('subscribed', 0);
      };
    };
  };
}

async function signedTx(url: string): Promise<string> {
  const [account, recipient] = createAccounts();
  if (account === undefined || recipient === undefined) throw new Error('the chain has no account');
  const query = `{ account(address: "${account.address}") { accountNumber sequence } head { chainId } }`;
  const { data } = JSON.parse(await post(url, JSON.stringify({ query })));
  const message = create(MsgSendSchema, {
    fromAddress: account.address,
    toAddress: recipient.address,
    amount: [{ denom: 'nhash', amount: '1' }],
  });
  const tx = signTx({
    account,
    accountNumber: BigInt(data.account.accountNumber),
    sequence: BigInt(data.account.sequence),
    chainId: data.head.chainId,
    messages: [packAny(MsgSendSchema, message)],
  });
  return Buffer.from(tx).toString('base64');
}

/** A node without new calls for this long is quiet, in ms. */
const quietTime = 30;

/** Waits until nothing reads from a node. After a block, an archive still reads the roots of its stores, which is no part of a journey. */
async function quiet(node: Child): Promise<void> {
  let calls = -1;
  for (let newest = 0; newest !== calls; ) {
    calls = newest;
    await setTimeout(quietTime);
    newest = (await node.measure()).calls;
  }
}

/** The journey whose server has no archive. */
const withoutArchive = 'a block, to one proposalUpdated subscriber';

const journeyList: Readonly<Record<string, Journey>> = {
  'a query with a new document at a height that was never read': async ({ stele, block }) => {
    await block(true);
    return () => post(stele.url, request(groupDocument()));
  },
  'the same, every read in memory': async ({ stele }) => {
    const document = groupDocument();
    await post(stele.url, request(document));
    // Other bytes, so that no kept answer has them.
    return () => post(stele.url, request(document, { extensions: {} }));
  },
  'the same bytes again (a kept answer)': async ({ stele }) => {
    const body = request(groupDocument());
    await post(stele.url, body);
    await post(stele.url, body);
    return () => post(stele.url, body);
  },
  'a block, to one newBlock subscriber, archive on': toSubscriber('subscription { newBlock { height hash time } }', 'newBlock'),
  [withoutArchive]: toSubscriber(
    'subscription { proposalUpdated { height proposalId proposal { status } } }',
    'proposalUpdated',
  ),
  broadcastTxSync: async ({ stele, block }) => {
    await block();
    const tx = await signedTx(stele.url);
    distinct += 1;
    const query = `mutation Send${distinct}($tx: String!) { broadcastTxSync(tx: $tx) { hash } }`;
    const body = JSON.stringify({ query, variables: { tx } });
    return () => post(stele.url, body);
  },
  'a block recorded (main thread)':
    async ({ block }) =>
    () =>
      block(true),
};

/**
 * Counts the files and functions of `src` that the running server enters on seven journeys, by V8's precise coverage, and prints them beside those of
 * the last release. Of `--rounds` rounds, the one with the fewest functions counts: timers of other parts add to some. A name on the
 * command line prints the functions of the journeys that contain it.
 */
export async function journeys(args: readonly string[]): Promise<void> {
  const { numbers, names } = readFlags(args, { rounds: { default: 15, max: 50 } });
  const directory = mkdtempSync(join(tmpdir(), 'stele-bench-'));
  const node = await startChild('blocksNode', ['20']);
  const recorder = await startChild('stele', [node.url, 'governance', directory]);
  const plain = await startChild('stele', [node.url, 'plain']);
  const block = async (hasVote = false): Promise<number> => {
    const height = await node.run('commit', hasVote);
    await recorder.run('recorded', height);
    await Promise.all([recorder, plain].map((stele) => stele.run('settled', height)));
    return height;
  };
  await Promise.all([recorder, plain].map((stele) => stele.run('startCoverage')));
  const file = join(directory, 'entered.json');
  console.log('\nFiles and functions of `src` that one journey enters, without generated code\n');
  console.log(`  ${'journey'.padEnd(62)}files   functions   ${lastRelease.version}: files   functions`);
  for (const [name, journey] of Object.entries(journeyList)) {
    let fewest: Entered | undefined;
    const stele = name === withoutArchive ? plain : recorder;
    for (let round = 0; round < numbers.rounds; round += 1) {
      const run = await journey({ node, stele, block });
      await quiet(node);
      await stele.run('resetCoverage');
      const end = await run();
      await stele.run('takeCoverage', file);
      if (typeof end === 'function') await end();
      const entered: Entered = JSON.parse(readFileSync(file, 'utf8'));
      if (fewest === undefined || entered.functions.length < fewest.functions.length) fewest = entered;
    }
    const last = lastRelease.journeys[name];
    const figures = [fewest?.files.length, fewest?.functions.length, last?.files, last?.functions];
    const [files, functions, lastFiles, lastFunctions] = figures.map((figure) => String(figure ?? '-'));
    console.log(
      `  ${name.padEnd(62)}${files?.padStart(5)}${functions?.padStart(12)}${lastFiles?.padStart(15)}${lastFunctions?.padStart(12)}`,
    );
    if (names.some((part) => name.includes(part))) console.log(fewest?.functions.map((entry) => `    ${entry}`).join('\n'));
  }
  await Promise.all([recorder, plain, node].map((child) => child.stop()));
  rmSync(directory, { recursive: true });
}
