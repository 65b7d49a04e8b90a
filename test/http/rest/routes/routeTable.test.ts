import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../../src/chain/descriptors/descriptorPool.ts';
import {
  createMatcher,
  createRouteTable,
  parseTemplate,
  type Template,
  valuesIn,
} from '../../../../src/surfaces/rest/routes.ts';
import { readDescriptors } from '../../../recordings/recordings.ts';

const template = (text: string): Template => parseTemplate(text)!;
const segments = (path: string): string[] => path.slice(1).split('/');
const values = (text: string, path: string) =>
  Object.fromEntries(valuesIn(template(text), segments(path)).map(({ field, text: value }) => [field.join('.'), value]));

describe('a path template', () => {
  it('assigns a field one segment, several, or all that follow', () => {
    expect(values('/a/{id}/b/{voter}', '/a/7/b/tp1')).toEqual({ id: '7', voter: 'tp1' });
    expect(values('/denoms/{denom=**}', '/denoms/ibc/ABC')).toEqual({ denom: 'ibc/ABC' });
    expect(values('/v/{name=projects/*}/x', '/v/projects/p/x')).toEqual({ name: 'projects/p' });
    expect(values('/p/{page.key}', '/p/k')).toEqual({ 'page.key': 'k' });
  });

  it('is invalid if it has a verb, or continues after `**`', () => {
    expect(parseTemplate('/a/{id}:cancel')).toBeUndefined();
    expect(parseTemplate('/a/{id=**}/b')).toBeUndefined();
    expect(parseTemplate('a')).toBeUndefined();
    expect(parseTemplate('')).toBeUndefined();
  });
});

describe('the matcher', () => {
  const texts = ['/a/{id}', '/a/latest', '/a/latest/{x}', '/a/{id}/b', '/a/{rest=**}', '/c'];
  const matcher = createMatcher(texts.map((text) => [template(text), text]));
  const find = (path: string) => matcher(segments(path));

  it('prefers a literal to a variable, and a variable to `**`', () => {
    expect(find('/a/latest')).toBe('/a/latest');
    expect(find('/a/7')).toBe('/a/{id}');
    expect(find('/a/latest/b')).toBe('/a/latest/{x}');
    expect(find('/a/7/b')).toBe('/a/{id}/b');
    expect(find('/a/7/c')).toBe('/a/{rest=**}');
  });

  it('finds nothing if a segment is missing, empty or superfluous', () => {
    for (const path of ['/', '/a', '/a/', '/c/', '/c/d', '/d']) expect(find(path)).toBeUndefined();
  });
});

describe('the route table of a real chain', async () => {
  const table = await createRouteTable(createDescriptorPool(readDescriptors()));
  const named = (name: string) => table.routes.filter(({ call }) => `${call.parent.typeName}/${call.name}` === name);

  it('has the routes of every module, and each is found at its own path', () => {
    expect(table.routes).toHaveLength(327);
    expect([...table.roots]).toEqual(['cosmos', 'cosmwasm', 'ibc', 'provenance']);
    for (const route of table.routes) {
      const path = route.template.text.replace(/\{[^}]*\}/g, 'x');
      expect(table.find(segments(path))?.get(route.httpMethod)).toBe(route);
    }
  });

  it('has no route that broadcasts, and none of services outside the application', () => {
    expect(table.routes.filter(({ call }) => /\.Msg$|^google|^envoy/.test(call.parent.typeName))).toEqual([]);
    expect(named('cosmos.tx.v1beta1.Service/BroadcastTx')).toEqual([]);
    expect(table.find(segments('/cosmos/tx/v1beta1/txs'))?.has('POST')).toBe(false);
  });

  it('has POST for a read with a body', () => {
    const [route] = named('provenance.flatfees.v1.Query/CalculateTxFees');
    expect(route).toMatchObject({ httpMethod: 'POST', hasBody: true, parameters: [] });
    expect(route?.template.text).toBe('/provenance/tx/v1/calculate_flat_fee');
  });

  it('has the paths of additional bindings', () => {
    const texts = named('ibc.core.channel.v1.Query/PacketCommitment').map(({ template: { text } }) => text);
    expect(texts).toEqual(['/ibc/core/channel/v1/channels/{channel_id}/ports/{port_id}/packet_commitments/{sequence}']);
  });

  it('names the parameters in both dialects', () => {
    const [route] = named('cosmos.group.v1.Query/VotesByProposal');
    const described = route?.parameters.map(({ name, documentedName, where, required }) => [
      name,
      documentedName,
      where,
      required,
    ]);
    expect(described).toEqual([
      ['proposal_id', 'proposal_id', 'path', true],
      ['pagination.key', 'pagination.key', 'query', false],
      ['pagination.offset', 'pagination.offset', 'query', false],
      ['pagination.limit', 'pagination.limit', 'query', false],
      ['pagination.count_total', 'pagination.countTotal', 'query', false],
      ['pagination.reverse', 'pagination.reverse', 'query', false],
    ]);
  });
});
