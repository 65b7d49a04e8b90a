import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createCostOf } from '../../src/graphql/documents/operationChecks.ts';
import { schema } from '../../src/graphql/schema.ts';

const costOf = createCostOf(schema, 100);

function points(text: string): number {
  const document = parse(text);
  return costOf(document, document.definitions[0] as OperationDefinitionNode, {}).points;
}

const plain = points('{ proposalRecords(first: 10) { nodes { id } } }');
const records = (part: string): number => points(`{ proposalRecords(first: 10) { nodes { id ${part} } } }`) - plain;

describe('the price of a part of a record', () => {
  it.each([
    ['tally { yesCount }', 10 * (1 + 10)],
    ['timeline { kind }', 10 * (5 + 100)],
    ['tallyHistory { time }', 10 * (5 + 100)],
    ['electorate(first: 1) { nodes { weight } }', 10 * 2],
    ['electorate(first: 1, voted: false) { nodes { weight } }', 10 * (2 + 10)],
  ])('has the rows that %s may read', (part, price) => {
    expect(records(part)).toBe(price);
  });

  it('of a participation grows with the number of its proposals', () => {
    const of = (last: string): number => points(`{ group(id: "1") { participation${last} { voted } } }`);
    expect(of('(last: 100)') - of('')).toBe(80 * 10);
  });
});
