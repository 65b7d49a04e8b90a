import { describe, expect, it } from 'vitest';
import { createGenesis } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { timestampOf } from '../../../packages/devnet/src/app/runtime/time.ts';
import { AttributeType } from '../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { Query } from '../../../src/proto/provenance/attribute/v1/query_pb.js';
import * as tx from '../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { Query as NameQuery } from '../../../src/proto/provenance/name/v1/query_pb.js';
import * as nameTx from '../../../src/proto/provenance/name/v1/tx_pb.js';
import { createChain, message, second } from './harness.ts';

function setUp() {
  const bare = createGenesis({ bare: true });
  const [root, holder, other] = bare.balances;
  const chain = createChain({ ...bare, names: [{ name: 'pb', address: root!.address, restricted: true }] });
  const [owner, , stranger] = chain.accounts;
  const bind = (label: string, parent = 'pb', by = owner!) =>
    chain.deliver(by, [
      message(nameTx.MsgBindNameRequestSchema, {
        parent: { name: parent, address: by.address },
        record: { name: label, address: owner!.address, restricted: true },
      }),
    ]);
  const account = holder!.address;
  const add = (init: object = {}, by = owner!) =>
    chain.deliver(by, [
      message(tx.MsgAddAttributeRequestSchema, {
        name: 'kyc.pb',
        value: Buffer.from('passed'),
        attributeType: AttributeType.STRING,
        account,
        owner: by.address,
        ...init,
      }),
    ]);
  const values = (name = 'kyc.pb'): string[] =>
    chain.query(Query.method.attribute, { account, name }).attributes.map(({ value }) => Buffer.from(value).toString());
  bind('kyc');
  return { chain, owner: owner!, stranger: stranger!, account, other: other!.address, bind, add, values };
}

describe('names', () => {
  it('are bound once, under their parents, by the owners of the parents', () => {
    const { chain, bind, owner, stranger } = setUp();
    expect(bind('SCORE ', 'kyc.pb').code).toBe(0);
    expect(chain.query(NameQuery.method.resolve, { name: 'Score.KYC.pb' })).toMatchObject({
      address: owner.address,
      restricted: true,
    });
    expect(bind('score', 'kyc.pb').log).toContain('name already bound');
    expect(bind('more', 'kyc.pb', stranger)).toMatchObject({ code: 4, codespace: 'sdk' });
    expect(bind('more', 'no.such')).toMatchObject({ codespace: 'name' });
    expect(bind('x').code).toBe(18);
    const { name } = chain.query(NameQuery.method.reverseLookup, { address: owner.address });
    expect([...name].sort()).toEqual(['kyc.pb', 'pb', 'score.kyc.pb']);
  });

  it('are transferred and deleted, together with their attributes', () => {
    const { chain, owner, stranger, account, add, values } = setUp();
    add();
    const record = { name: 'kyc.pb', address: stranger.address, restricted: false };
    chain.deliver(owner, [message(nameTx.MsgModifyNameRequestSchema, { authority: owner.address, record })]);
    expect(chain.query(NameQuery.method.resolve, { name: 'kyc.pb' }).address).toBe(stranger.address);
    expect(add().code).toBe(18);
    expect(values()).toEqual(['passed']);
    const remove = (by: typeof owner) =>
      chain.deliver(by, [message(nameTx.MsgDeleteNameRequestSchema, { record: { name: 'kyc.pb', address: by.address } })]);
    expect(remove(owner).code).toBe(4);
    expect(remove(stranger).code).toBe(0);
    expect(() => chain.query(NameQuery.method.resolve, { name: 'kyc.pb' })).toThrow('no address bound to name');
    expect(chain.query(Query.method.attributes, { account }).attributes).toEqual([]);
  });
});

describe('attributes', () => {
  it('can only be written by the owner of the name', () => {
    const { add, stranger, values } = setUp();
    expect(add({}, stranger).log).toContain('does not resolve to address');
    expect(values()).toEqual([]);
    expect(add({ account: 'tp1nope' }).code).toBe(18);
  });

  it.each([
    [AttributeType.UUID, 'a4c8b9a0-2f0b-4c7e-9d51-1f3a2b4c5d6e', 'a4c8'],
    [AttributeType.JSON, '{"a":1}', '{a:1}'],
    [AttributeType.INT, '-9007199254740993', '1.5'],
    [AttributeType.FLOAT, '3.25e4', 'three'],
    [AttributeType.URI, 'https://example.org/a?b=c', ''],
    [AttributeType.STRING, 'words', ''],
    [AttributeType.BYTES, '\u0000', ''],
    [AttributeType.UNSPECIFIED, undefined, 'anything'],
  ])('of type %i accept values of that type', (attributeType, right, wrong) => {
    const { add } = setUp();
    expect(add({ attributeType, value: Buffer.from(wrong) }).code).toBe(18);
    if (right !== undefined) expect(add({ attributeType, value: Buffer.from(right) }).code).toBe(0);
  });

  it('are trimmed if they are text, and at most 10,000 bytes long', () => {
    const { add, values } = setUp();
    add({ value: Buffer.from('  passed ') });
    expect(values()).toEqual(['passed']);
    expect(add({ value: Buffer.alloc(10_001, 'a') }).code).toBe(18);
    expect(add({ value: Buffer.alloc(10_000, 'a') }).code).toBe(0);
  });

  it('expire: they are not listed from their expiration on, and deleted by the next block', () => {
    const { chain, add, values, account } = setUp();
    const ends = chain.state.time + 60n * second + 500_000_000n;
    expect(add({ expirationDate: timestampOf(ends) }).code).toBe(0);
    const [attribute] = chain.query(Query.method.attribute, { account, name: 'kyc.pb' }).attributes;
    // To the second.
    expect(attribute!.expirationDate).toMatchObject({ nanos: 0 });
    const quiet = chain.block([], 57n * second);
    expect([values(), quiet.events.some(({ type }) => type === 'beginblock')]).toEqual([['passed'], false]);
    const { events } = chain.block([], 3n * second);
    expect(values()).toEqual([]);
    expect(events.filter(({ type }) => /Expired|beginblock/.test(type)).map(({ type }) => type)).toEqual([
      'provenance.attribute.v1.EventAttributeExpired',
      'beginblock',
    ]);
    expect(chain.query(Query.method.attributeAccounts, { attributeName: 'kyc.pb' }).accounts).toEqual([]);
    expect(add({ expirationDate: timestampOf(chain.state.time) }).code).toBe(18);
  });

  it('keep their expiration in an update, and can get another one', () => {
    const { chain, owner, account, add, values } = setUp();
    const ends = chain.state.time + 60n * second;
    add({ expirationDate: timestampOf(ends) });
    const update = {
      name: 'kyc.pb',
      originalValue: Buffer.from('passed'),
      originalAttributeType: AttributeType.STRING,
      updateValue: Buffer.from('7'),
      updateAttributeType: AttributeType.INT,
      account,
      owner: owner.address,
    };
    expect(chain.deliver(owner, [message(tx.MsgUpdateAttributeRequestSchema, update)]).code).toBe(0);
    const of = () => chain.query(Query.method.attribute, { account, name: 'kyc.pb' }).attributes[0]!;
    expect([of().attributeType, of().expirationDate?.seconds]).toEqual([AttributeType.INT, ends / second]);
    const later = { name: 'kyc.pb', value: Buffer.from('7'), account, owner: owner.address };
    const moved = chain.deliver(owner, [
      message(tx.MsgUpdateAttributeExpirationRequestSchema, { ...later, expirationDate: timestampOf(ends + 60n * second) }),
    ]);
    const event = moved.events.find(({ type }) => type.endsWith('EventAttributeExpirationUpdate'))!;
    expect(event.attributes.map(({ key }) => key)).toEqual([
      'account',
      'name',
      'original_expiration',
      'owner',
      'updated_expiration',
      'value',
      'msg_index',
    ]);
    expect(event.attributes[2]!.value).toBe('"2026-11-21 02:49:02 +0000 UTC"');
    chain.block([], 62n * second);
    expect(values()).toEqual(['7']);
    chain.block([], 60n * second);
    expect(values()).toEqual([]);
  });

  it('of one name are counted by account until the last is deleted', () => {
    const { chain, owner, account, other, add } = setUp();
    const accounts = () => chain.query(Query.method.attributeAccounts, { attributeName: ' KYC.pb' }).accounts;
    add();
    add({ value: Buffer.from('twice') });
    add({ account: other });
    expect([...accounts()].sort()).toEqual([account, other].sort());
    const distinct = { name: 'kyc.pb', value: Buffer.from('twice'), account, owner: owner.address };
    chain.deliver(owner, [message(tx.MsgDeleteDistinctAttributeRequestSchema, distinct)]);
    expect(accounts()).toHaveLength(2);
    chain.deliver(owner, [message(tx.MsgDeleteAttributeRequestSchema, { name: 'kyc.pb', account, owner: owner.address })]);
    expect(accounts()).toEqual([other]);
    expect(chain.deliver(owner, [message(tx.MsgDeleteDistinctAttributeRequestSchema, distinct)]).code).toBe(18);
  });

  it('of an account are pages in both directions, and a scan can end on an empty one', () => {
    const { chain, account, add, bind } = setUp();
    bind('zz');
    for (let index = 0; index < 4; index += 1) add({ value: Buffer.from(`v${index}`) });
    add({ name: 'zz.pb' });
    const page = (pagination: object, suffix = 'pb') =>
      chain.query(Query.method.scan, { account, suffix, pagination }) as {
        attributes: { value: Uint8Array }[];
        pagination: { nextKey: Uint8Array; total: bigint };
      };
    const texts = (list: { value: Uint8Array }[]): string[] => list.map(({ value }) => Buffer.from(value).toString());
    const all = texts(page({}).attributes);
    expect(all).toHaveLength(5);
    expect(texts(page({ reverse: true }).attributes)).toEqual([...all].reverse());
    const walk = (reverse: boolean): string[] => {
      const found: string[] = [];
      for (let key: Uint8Array = new Uint8Array(), rounds = 0; rounds < 10; rounds += 1) {
        const { attributes, pagination } = page({ limit: 2n, key, reverse });
        found.push(...texts(attributes));
        key = pagination.nextKey;
        if (key.length === 0) break;
      }
      return found;
    };
    expect(walk(false)).toEqual(all);
    expect(walk(true)).toEqual([...all].reverse());
    expect(page({ limit: 1n, offset: 2n, countTotal: true }, 'kyc.pb').pagination.total).toBe(4n);
  });

  it('contain the account data, which an account can remove', () => {
    const { chain, owner } = setUp();
    const note = (value: string) =>
      chain.deliver(owner, [message(tx.MsgSetAccountDataRequestSchema, { account: owner.address, value })]);
    const read = () => chain.query(Query.method.accountData, { account: owner.address }).value;
    const types = (value: string): (string | undefined)[] =>
      note(value)
        .events.filter(({ type }) => type.startsWith('provenance.'))
        .map(({ type }) => type.split('.Event')[1]);
    expect([types('one'), read()]).toEqual([['AttributeAdd', 'AccountDataUpdated'], 'one']);
    expect([types('two'), read()]).toEqual([['AttributeUpdate', 'AccountDataUpdated'], 'two']);
    expect([types(''), read()]).toEqual([['AttributeDelete', 'AccountDataUpdated'], '']);
  });
});
