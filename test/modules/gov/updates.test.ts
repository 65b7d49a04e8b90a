import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { govBlocks } from '../../recordings/gov.ts';
import { createGovNode, type GovNode } from '../../replay/govNode.ts';
import { type Listener, overEvents } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: GovNode;
let stack: Stack;
const listeners: Listener[] = [];
const heights = govBlocks('gov')
  .blocks.map(({ height }) => BigInt(height))
  .filter((height) => height <= 340n);

beforeEach(async () => {
  node = await createGovNode();
  stack = await startStack([node.url], { client: { learnsRoots: false } });
  await node.subscribed();
});
afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  await stack.close();
  await node.close();
});

async function listen(args: string): Promise<Listener> {
  const document = `subscription { govProposalUpdated${args} { proposalId height reasons log proposal { status expedited } } }`;
  const listener = await overEvents(stack.server.url, document);
  listeners.push(listener);
  return listener;
}

async function emitAll(): Promise<void> {
  for (const height of heights.slice(1)) {
    node.emit(height);
    await stack.client.head.waitFor(height, { milliseconds: 10_000 });
  }
}

interface Update {
  readonly proposalId: string;
  readonly height: string;
  readonly reasons: readonly string[];
  readonly log: string | null;
  readonly proposal: { readonly status: string; readonly expedited: boolean } | null;
}

const updatesOf = ({ answers }: Listener) => answers.map(({ data }) => data!.govProposalUpdated as unknown as Update);

/** The decisions of the recording, as its events have them. */
const decisions = [
  ['2', '309', 'DROPPED'],
  ['10', '313', 'CANCELLED'],
  ['1', '316', 'REJECTED'],
  ['7', '317', 'PASSED'],
  ['8', '318', 'BECAME_REGULAR'],
  ['9', '318', 'BECAME_REGULAR'],
  ['12', '321', 'DROPPED'],
  ['3', '327', 'PASSED'],
  ['5', '327', 'PASSED'],
  ['6', '327', 'REJECTED'],
  ['8', '328', 'REJECTED'],
  ['9', '328', 'REJECTED'],
  ['11', '328', 'REJECTED'],
  ['4', '329', 'FAILED'],
];

describe('a subscription to proposals', () => {
  it('has each decision of the recorded chain, in order, with the state after its block', async () => {
    const listener = await listen('(after: 309)');
    await emitAll();
    await listener.until(({ data }) => data?.govProposalUpdated?.height === '329');
    const decided = updatesOf(listener).filter(({ reasons }) =>
      reasons.some((reason) => decisions.some((row) => row[2] === reason)),
    );
    expect(decided.map(({ proposalId, height, reasons }) => [proposalId, height, reasons.at(-1)])).toEqual(
      decisions.filter(([, height]) => height !== '309'),
    );
    const failed = decided.find(({ proposalId }) => proposalId === '4')!;
    expect(failed.log).toContain('insufficient funds');
    expect(failed.proposal).toEqual({ status: 'PROPOSAL_STATUS_FAILED', expedited: false });
    expect(decided.find(({ proposalId }) => proposalId === '8')!.proposal).toEqual({
      ...{ status: 'PROPOSAL_STATUS_VOTING_PERIOD', expedited: false },
    });
    expect(decided.find(({ proposalId }) => proposalId === '12')!.proposal).toBeNull();
  });

  it('to one proposal begins with its state and ends with its decision', async () => {
    for (const height of heights.slice(1, 4)) {
      node.emit(height);
      await stack.client.head.waitFor(height, { milliseconds: 10_000 });
    }
    const listener = await listen('(id: "7")');
    await listener.count(1);
    expect(updatesOf(listener)[0]).toMatchObject({ proposalId: '7', height: '312', reasons: ['CURRENT'] });
    for (const height of heights.slice(4)) {
      node.emit(height);
      await stack.client.head.waitFor(height, { milliseconds: 10_000 });
    }
    expect(await listener.ended).toBe('complete');
    expect(updatesOf(listener).at(-1)).toMatchObject({ height: '317', reasons: ['PASSED'], log: 'passed' });
  });

  it('refuses an id that is none', async () => {
    const { ended } = await listen('(id: "x")');
    expect(await ended).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'id' } }] });
  });
});
