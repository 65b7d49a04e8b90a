import { afterEach, describe, expect, it } from 'vitest';
import { some } from '../../support/atRandom.ts';
import { type GuardedTarget, startGuarded, startTarget, type Target } from '../attacks/setup.ts';
import { at, get } from './rest.ts';

const votes = '/cosmos.group.v1.Query/VotesByProposal';

let target: Target | undefined;

afterEach(async () => {
  await target?.close();
  target = undefined;
});

/** Requests that make the chain count a whole list. */
const counted = [
  ['', 'pagination.limit=1&pagination.countTotal=true'],
  ['', 'pagination.limit=1&pagination.offset=1&pagination.countTotal=true'],
  ['', 'pagination.limit=1&pagination.reverse=true'],
  ['/rest', 'pagination.limit=1&pagination.count_total=true'],
  // The chain counts the list for a page without a size.
  ['/rest', ''],
] as const;

const listOf = (base: string, proposal: number, page: string) =>
  `${base}/cosmos/group/v1/votes_by_proposal/${proposal}?${page}`;

describe('T35: a list that is counted', () => {
  it.each(some(counted, 3))(
    '%s?%s: at most two run concurrently for a client; reads without a count do not wait',
    async (base, page) => {
      const guarded: GuardedTarget = await startGuarded();
      target = guarded;
      const { gateway, stack } = guarded;
      const height = stack.client.head.current()!.height;
      // The routes are read before the node holds responses.
      expect((await get(stack.server, `${base}/cosmos/group/v1/proposal/6`, at(height))).status).toBe(200);
      const held: (() => void)[] = [];
      let holding = true;
      gateway.answer = (response, own, calls) => {
        response.setHeader('content-type', 'application/json');
        const isHeld = holding && calls.some(({ params }) => params.path === votes);
        if (isHeld) held.push(() => response.end(own));
        else response.end(own);
      };
      const asked = () => gateway.requests.flat().filter(({ params }) => params.path === votes).length;
      const lists = [3, 4, 5, 6].map((proposal) => get(stack.server, listOf(base, proposal, page), at(height)));
      await expect.poll(asked).toBe(2);
      expect((await get(stack.server, `${base}/cosmos/group/v1/proposal/7`, at(height))).status).toBe(200);
      expect(asked()).toBe(2);
      holding = false;
      for (const release of held) release();
      expect((await Promise.all(lists)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await guarded.isWell();
    },
  );

  it.each(some(counted, 3))('%s?%s has the price of a count', async (base, page) => {
    // A page of one item costs 2 points, and one without a size 101.
    const size = page === '' ? 100 : 1;
    const limits = { 'rate.points': 60, 'rate.burst': size + 50 };
    target = await startTarget({ server: { limits } });
    const { status, body } = await get(target.stack.server, listOf(base, 6, page), at(1));
    expect([status, JSON.stringify(body)]).toEqual([429, expect.stringContaining('rate.points')]);
    const plain = `pagination.limit=${size}`;
    expect((await get(target.stack.server, listOf(base, 6, plain), at(1))).status).toBe(200);
  });
});
