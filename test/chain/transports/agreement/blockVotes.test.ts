import { expect, it } from 'vitest';
import { createBlockVotes } from '../../../../src/chain/transports/agreement.ts';

const nothing = { agreed: [], contradicting: [], disputing: [] };

it('return nothing about a node that is alone at a height', () => {
  const votes = createBlockVotes<string>();
  expect(votes.cast('a', 1n, 'X')).toEqual(nothing);
  expect(votes.cast('a', 1n, 'X')).toEqual(nothing);
  expect(votes.cast('b', 2n, 'Y')).toEqual(nothing);
});

it('return the nodes that contradict the majority, once there is one', () => {
  const votes = createBlockVotes<string>();
  votes.cast('a', 1n, 'X');
  expect(votes.cast('b', 1n, 'Y')).toEqual({ ...nothing, disputing: ['a', 'b'] });
  expect(votes.cast('c', 1n, 'Y')).toEqual({ ...nothing, agreed: ['b', 'c'], contradicting: ['a'] });
  expect(votes.cast('d', 1n, 'X')).toEqual({ ...nothing, disputing: ['a', 'b', 'c', 'd'] });
});

it('use the last block of a node', () => {
  const votes = createBlockVotes<string>();
  votes.cast('a', 1n, 'X');
  votes.cast('b', 1n, 'Y');
  expect(votes.cast('b', 1n, 'X')).toEqual({ ...nothing, agreed: ['a', 'b'] });
});

it('drop old heights', () => {
  const votes = createBlockVotes<string>();
  for (let height = 1n; height <= 17n; height += 1n) votes.cast('a', height, 'X');
  expect(votes.cast('b', 1n, 'Y')).toEqual(nothing);
  expect(votes.cast('b', 17n, 'Y')).toEqual({ ...nothing, disputing: ['a', 'b'] });
});
