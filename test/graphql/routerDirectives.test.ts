import { composeServices } from '@apollo/composition';
import { type ConstDirectiveNode, isObjectType, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema, schemaText } from '../../src/graphql/schema.ts';
import { withFederation } from '../../src/schema/printSchema.ts';
import { runsAll } from '../support/atRandom.ts';

const later = withFederation(schema, '2.12');
const text = schemaText(later);
const { definitions } = parse(text);

/** The directives of a coordinate in the text, as text. */
function marksOf(coordinate: string): readonly string[] {
  const [, typeName, fieldName, argument] = /^(\w+)(?:\.(\w+)(?:\((\w+):\))?)?$/.exec(coordinate)!;
  for (const type of definitions) {
    if (type.kind !== 'ObjectTypeDefinition' || type.name.value !== typeName) continue;
    const field = type.fields?.find(({ name }) => name.value === fieldName);
    const node = argument === undefined ? field : field?.arguments?.find(({ name }) => name.value === argument);
    const directives: readonly ConstDirectiveNode[] | undefined = (fieldName === undefined ? type : node)?.directives;
    return (directives ?? []).map(print);
  }
  return [];
}

describe('the schema of federation 2.12', () => {
  it('has the text of 2.6 but for its directives', () => {
    const plain = text.replace(/ @(cacheTag|cost|listSize)\([^)]*\)/g, '').replace('/v2.12', '/v2.6');
    expect(plain.replace(', "@cacheTag", "@cost", "@listSize"', '')).toBe(schemaText());
    expect(withFederation(schema, '2.6')).toBe(schema);
  });

  it('tags each entity and each field of Query', () => {
    const tag = '@cacheTag(format: "stele")';
    const fields = Object.keys(schema.getQueryType()!.getFields()).filter((name) => !name.startsWith('_'));
    for (const name of fields) expect([name, ...marksOf(`Query.${name}`)]).toContain(tag);
    const entities = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && marksOf(type.name).some((mark) => mark.startsWith('@key')),
    );
    expect(entities.length).toBeGreaterThan(20);
    for (const { name } of entities) expect([name, ...marksOf(name)]).toContain(tag);
  });

  it('has the prices of the table', () => {
    expect(marksOf('GroupConnection.totalCount')).toEqual(['@cost(weight: 50)']);
    expect(marksOf('Query.groups')).toContain(
      '@listSize(assumedSize: 20, slicingArguments: ["first"], requireOneSlicingArgument: false, sizedFields: ["edges", "nodes"])',
    );
    expect(marksOf('Mutation.broadcastTxSync')).toEqual(['@cost(weight: 21)']);
    expect(marksOf('Query.attributeScan(suffix:)')).toEqual(['@cost(weight: 80)']);
  });

  it.runIf(runsAll)('is composed by @apollo/composition, with its directives', () => {
    const { supergraphSdl, errors } = composeServices([{ name: 'stele', url: 'http://stele', typeDefs: parse(text) }]);
    expect(errors).toBeUndefined();
    const supergraph = parse(supergraphSdl!, { noLocation: true });
    const printed = print(supergraph);
    expect(printed).toContain('cacheTag/v0.1');
    expect(printed).toMatch(/groups\([^)]*\): GroupConnection.* @listSize\(assumedSize: 20/);
    expect(printed).toMatch(/totalCount: \w+ @cost\(weight: 50\)/);
    expect(printed).toContain('name: "federation__cacheTag", args: {format: "stele"}');
  });
});
