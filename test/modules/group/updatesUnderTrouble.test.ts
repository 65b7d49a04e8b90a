import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChainError } from '../../../src/chain/base/errors.ts';
import type { ProposalUpdate } from '../../../src/modules/group/proposalUpdates.ts';
import { proposalUpdates, tallyUpdates } from '../../../src/modules/group/updateSchema.ts';
import { createPin, pinned } from '../../../src/reads/pin.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as groups from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { eventsUpTo, rootAt } from '../../support/streams.ts';

let chain: TestChain;
let stack: Stack;
let group: groups.TestGroup;

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n });
  stack = await startStack([chain.node.url], { upstream: { probeInterval: 20 } });
  const [one, two, three] = chain.accounts;
  group = await groups.createGroup(chain, [
    [one!, '1'],
    [two!, '1.5'],
    [three!, '1'],
  ]);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Resolves when the node receives a state query, whether or not it answers. */
function stateQuery({ answered = true } = {}): Promise<void> {
  return new Promise((resolve) => {
    chain.node.onCall = ({ method }) => {
      if (method !== 'abci_query') return undefined;
      resolve();
      return answered ? undefined : new Promise<never>(() => {});
    };
  });
}

const shown = (updates: readonly ProposalUpdate[]): unknown[] => updates.map(({ height, reasons }) => [height, ...reasons]);

it('no event is lost or repeated if the node stops between a block and its reads and then restarts', async () => {
  const [one, two, three] = chain.accounts;
  const start = chain.devnet.height;
  const end = start + 6n;
  const stream = proposalUpdates(
    rootAt(stack.client, start),
    { of: 'policy', address: group.policy },
    { after: start, present: false },
  );
  const events = eventsUpTo(stream, end);
  const id = await groups.submitProposal(chain, group, one!);
  await stack.client.head.waitFor(start + 1n, { milliseconds: 30_000 });
  await chain.submit(two!, groups.vote(two!, id));
  // The stream has the block; the node stops before it answers the reads.
  const held = stateQuery({ answered: false });
  await chain.devnet.commit();
  await held;
  await chain.node.stop();
  await chain.devnet.commit();
  await chain.devnet.commit();
  chain.node.heal();
  await chain.node.start();
  await chain.run(three!, groups.vote(three!, id, 'NO'));
  chain.node.closeSockets();
  await chain.run(one!, groups.withdraw(one!, id));
  expect(shown(await events)).toEqual([
    [start + 1n, 'SUBMITTED'],
    [start + 2n, 'VOTED'],
    [start + 5n, 'VOTED'],
    [start + 6n, 'WITHDRAWN'],
  ]);
});

it('a node that returns malformed responses for a while is retried', async () => {
  const [one] = chain.accounts;
  const start = chain.devnet.height;
  const id = await groups.submitProposal(chain, group, one!);
  await chain.run(one!, groups.vote(one!, id));
  let failures = 0;
  chain.node.faults.answer = (calls) => {
    if (!calls.some(({ method }) => method === 'abci_query') || failures === 3) return undefined;
    failures += 1;
    return failures % 2 === 0 ? 'garbage' : 'badGateway';
  };
  const root = rootAt(stack.client, start);
  const updates = await eventsUpTo(proposalUpdates(root, { of: 'id', id }, { after: start, present: false }), start + 2n);
  expect(shown(updates)).toEqual([
    [start + 1n, 'SUBMITTED'],
    [start + 2n, 'VOTED'],
  ]);
  expect(failures).toBe(3);
});

it('a stream fails if malformed responses persist', async () => {
  const start = chain.devnet.height;
  await chain.devnet.commit();
  chain.node.faults.answer = (calls) => (calls.some(({ method }) => method === 'abci_query') ? 'garbage' : undefined);
  const root = rootAt(stack.client, start);
  const stream = proposalUpdates(root, { of: 'id', id: 1n }, { after: start, present: false });
  await expect(stream.next()).rejects.toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
  expect(await stream.next()).toMatchObject({ done: true });
});

it('a stream fails with HEIGHT_PRUNED if the node has pruned the state, and reads nothing after it was closed', async () => {
  const [one] = chain.accounts;
  const id = await groups.submitProposal(chain, group, one!);
  const start = chain.devnet.height;
  await chain.run(one!, groups.vote(one!, id));
  await chain.devnet.commit();
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  chain.node.prune(start + 1n);
  const root = rootAt(stack.client, chain.devnet.height);
  const pruned = tallyUpdates(root, id, { after: start, present: false });
  await expect(pruned.next()).rejects.toMatchObject({ code: 'HEIGHT_PRUNED' });

  const waiting = proposalUpdates(root, { of: 'id', id }, { after: start + 1n, present: false });
  chain.node.faults.answer = 'badGateway';
  const next = waiting.next();
  await stateQuery();
  await waiting.return?.();
  expect(await next).toMatchObject({ done: true });

  const operation = new AbortController();
  const left = pinned(createPin(stack.client, chain.devnet.height, { signal: operation.signal }), {});
  const again = proposalUpdates(left, { of: 'id', id }, { after: start + 1n, present: false }).next();
  await stateQuery();
  operation.abort(new ChainError('NODE_UNREACHABLE', 'The caller has left.', {}));
  await expect(again).rejects.toThrow('The caller has left.');
});
