import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHead, type Head } from '../../../src/chain/blocks/head.ts';
import { createValidatorSets, type ValidatorSets } from '../../../src/chain/blocks/validatorSets.ts';
import { createMemoryBudget, type MemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { startChain, type TestChain } from '../../support/chain.ts';

let chain: TestChain;
let transport: Transport;
let head: Head;
let memory: MemoryBudget;
let sets: ValidatorSets;

beforeEach(async () => {
  chain = await startChain({ bare: true });
  transport = http(chain.node.url);
  head = createHead({ transport });
  memory = createMemoryBudget();
  sets = createValidatorSets({ head, transport, memory });
  await head.ready();
});

afterEach(async () => {
  head.close();
  await transport.close();
  await chain.devnet.close();
});

const calls = (): number => chain.node.counters.log.filter(({ method }) => method === 'validators').length;
const bytes = (): number => memory.stats().find(({ cache }) => cache === 'validators')!.bytes;

it('reads a set once for all who need it at the same time, and returns it at once afterwards', async () => {
  const [one, other] = await Promise.all([sets.at(1n), sets.at(1n)]);
  expect(one).toMatchObject([{ votingPower: expect.any(BigInt) }]);
  expect(other).toBe(one);
  expect(sets.at(1n)).toBe(one);
  expect(calls()).toBe(1);
  expect(Object.isFrozen(one[0])).toBe(true);
  expect(bytes()).toBeGreaterThan(300);
  expect(memory.stats()).toMatchObject([{ share: 'blocks', cache: 'validators', entries: 1 }]);
});

it('reads a set again after it was cleared, and does not keep a set that was being read', async () => {
  const begun = sets.at(1n);
  sets.clear();
  await begun;
  expect(bytes()).toBe(0);
  await sets.at(1n);
  expect(calls()).toBe(2);
  sets.clear();
  await sets.at(1n);
  expect(calls()).toBe(3);
});

it('rejects for a caller whose signal is aborted, also if the set is in memory, and keeps the read for the others', async () => {
  const leaving = new AbortController();
  const left = sets.at(1n, leaving.signal);
  const stays = sets.at(1n);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(await stays).toHaveLength(1);
  await expect(sets.at(1n, leaving.signal)).rejects.toThrow('left');
  expect(calls()).toBe(1);
});
