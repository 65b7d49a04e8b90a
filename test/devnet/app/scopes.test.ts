import { describe, expect, it } from 'vitest';
import { addressOfUuid, encodeMetadataAddress } from '../../../packages/devnet/src/app/runtime/metadataAddress.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query as AttributeQuery } from '../../../src/proto/provenance/attribute/v1/query_pb.js';
import { Query } from '../../../src/proto/provenance/metadata/v1/query_pb.js';
import { PartyType } from '../../../src/proto/provenance/metadata/v1/specification_pb.js';
import * as tx from '../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { createChain, message } from './harness.ts';

const uuid = '91978ba2-5f35-459a-86a7-feca1b0512e0';
const scopeId = addressOfUuid('scope', uuid);
const specificationId = addressOfUuid('scopespec', '4f1b1a52-0c6e-4c3a-9d4c-0e2e8d5a7b11');
const denom = `nft/${encodeMetadataAddress(scopeId)}`;

function setUp() {
  const chain = createChain();
  const [owner, reader, buyer] = chain.accounts;
  const signers = [owner!.address];
  const specification = { specificationId, ownerAddresses: signers, partiesInvolved: [PartyType.OWNER] };
  chain.deliver(owner!, [message(tx.MsgWriteScopeSpecificationRequestSchema, { specification, signers })]);
  const write = (more: object = {}, by = owner!) =>
    chain.deliver(by, [
      message(tx.MsgWriteScopeRequestSchema, {
        scope: {
          scopeId,
          specificationId,
          owners: [{ address: owner!.address, role: PartyType.OWNER }],
          dataAccess: [reader!.address],
          valueOwnerAddress: owner!.address,
          ...more,
        },
        signers: [by.address],
      }),
    ]);
  const scope = () => chain.query(Query.method.scope, { scopeId: uuid }).scope?.scope;
  const listed = (address: string): string[] => chain.query(Query.method.ownership, { address }).scopeUuids;
  return { chain, owner: owner!, reader: reader!, buyer: buyer!, signers, write, scope, listed };
}

const types = (events: readonly { type: string }[]): (string | undefined)[] =>
  events.filter(({ type }) => type.startsWith('provenance.')).map(({ type }) => type.split('.Event')[1]);

describe('a scope', () => {
  it('is found by UUID and address, and listed under owners and accounts with data access', () => {
    const { chain, owner, reader, buyer, write, listed } = setUp();
    const result = write();
    expect([result.code, types(result.events)]).toEqual([0, ['ScopeCreated', 'TxCompleted']]);
    // The event with the module replaces the attribute.
    const action = result.events.find(({ attributes }) => attributes[0]?.key === 'action')!;
    expect(action.attributes.map(({ key }) => key)).toEqual(['action', 'sender', 'msg_index']);
    const byUuid = chain.query(Query.method.scope, { scopeId: uuid });
    expect(chain.query(Query.method.scope, { scopeId: encodeMetadataAddress(scopeId) })).toEqual(byUuid);
    expect(byUuid.scope).toMatchObject({
      scope: { valueOwnerAddress: owner.address },
      scopeIdInfo: { scopeUuid: uuid },
      scopeSpecIdInfo: { scopeSpecAddr: encodeMetadataAddress(specificationId) },
    });
    expect([owner, reader, buyer].map(({ address }) => listed(address))).toEqual([[uuid], [uuid], []]);
    const bare = chain.query(Query.method.scope, { scopeId: uuid, excludeIdInfo: true, includeRequest: true });
    expect([bare.scope?.scopeIdInfo, bare.scope?.scope, bare.request?.scopeId]).toEqual([undefined, byUuid.scope?.scope, uuid]);
  });

  it('has the holder of its coin as value owner', () => {
    const { chain, owner, buyer, write, scope } = setUp();
    write();
    const amount = [{ denom, amount: '1' }];
    const sale = { fromAddress: owner.address, toAddress: buyer.address, amount };
    expect(chain.deliver(owner, [message(MsgSendSchema, sale)]).code).toBe(0);
    expect(scope()?.valueOwnerAddress).toBe(buyer.address);
    const owned = (address: string, pagination?: object) =>
      chain.query(Query.method.valueOwnership, { address, ...(pagination && { pagination }) });
    expect([owned(owner.address).scopeUuids, owned(buyer.address).scopeUuids]).toEqual([[], [uuid]]);
    expect([owned(buyer.address).pagination, owned(buyer.address, { countTotal: true }).pagination?.total]).toEqual([
      undefined,
      1n,
    ]);
    const update = (by: typeof owner) =>
      chain.deliver(by, [
        message(tx.MsgUpdateValueOwnersRequestSchema, {
          scopeIds: [scopeId],
          valueOwnerAddress: owner.address,
          signers: [by.address],
        }),
      ]);
    // Value owners have the permission, owners do not.
    expect([update(owner).code, update(buyer).code]).toEqual([18, 0]);
    expect(scope()?.valueOwnerAddress).toBe(owner.address);
  });

  it('updates the lists when its owners and data access change', () => {
    const { chain, owner, reader, buyer, signers, write, scope, listed } = setUp();
    write();
    const access = { scopeId, signers };
    expect(
      types(
        chain.deliver(owner, [message(tx.MsgAddScopeDataAccessRequestSchema, { ...access, dataAccess: [buyer.address] })])
          .events,
      ),
    ).toEqual(['ScopeUpdated', 'TxCompleted']);
    chain.deliver(owner, [message(tx.MsgDeleteScopeDataAccessRequestSchema, { ...access, dataAccess: [reader.address] })]);
    expect([scope()?.dataAccess, listed(reader.address), listed(buyer.address)]).toEqual([[buyer.address], [], [uuid]]);
    const owners = [{ address: reader.address, role: PartyType.SERVICER }];
    chain.deliver(owner, [message(tx.MsgAddScopeOwnerRequestSchema, { ...access, owners })]);
    expect(scope()?.owners.map(({ address }) => address)).toEqual([owner.address, reader.address]);
    const remove = message(tx.MsgDeleteScopeOwnerRequestSchema, { ...access, owners: [reader.address] });
    // Both are owners now, and both must sign.
    expect(chain.deliver(owner, [remove]).log).toContain(`missing signature: ${reader.address}`);
    expect(listed(reader.address)).toEqual([uuid]);
  });

  it('can be rewritten only by its owners, which transfers its coin', () => {
    const { buyer, write, scope } = setUp();
    write();
    expect(write({ owners: [{ address: buyer.address, role: PartyType.OWNER }] }, buyer).code).toBe(18);
    const again = write({ valueOwnerAddress: buyer.address, dataAccess: [] });
    expect([again.code, types(again.events)]).toEqual([0, ['ScopeUpdated', 'TxCompleted']]);
    expect(scope()).toMatchObject({ valueOwnerAddress: buyer.address, dataAccess: [] });
  });

  it('is deleted together with its coin and its net asset values', () => {
    const { chain, owner, signers, write, scope, listed } = setUp();
    write();
    const netAssetValues = [{ price: { denom: 'usd', amount: '5' } }];
    const value = { scopeId: encodeMetadataAddress(scopeId), signers, netAssetValues };
    chain.deliver(owner, [message(tx.MsgAddNetAssetValuesRequestSchema, value)]);
    const values = () => chain.query(Query.method.scopeNetAssetValues, { id: uuid }).netAssetValues;
    expect(values()).toMatchObject([{ price: { amount: '5' }, volume: 1n, updatedBlockHeight: chain.state.height }]);
    const result = chain.deliver(owner, [message(tx.MsgDeleteScopeRequestSchema, { scopeId, signers })]);
    expect([result.code, types(result.events)]).toEqual([0, ['ScopeDeleted', 'TxCompleted']]);
    expect([scope(), values(), listed(owner.address)]).toEqual([undefined, [], []]);
    expect(chain.query(BankQuery.method.supplyOf, { denom }).amount?.amount).toBe('0');
  });

  it('has account data that its owners set', () => {
    const { chain, owner, signers, write } = setUp();
    write();
    const note = message(tx.MsgSetAccountDataRequestSchema, { metadataAddr: scopeId, value: 'deed', signers });
    expect(chain.deliver(owner, [note]).code).toBe(0);
    expect(chain.query(Query.method.accountData, { metadataAddr: scopeId }).value).toBe('deed');
    const account = encodeMetadataAddress(scopeId);
    expect(chain.query(AttributeQuery.method.attributes, { account }).attributes).toMatchObject([{ name: 'accountdata' }]);
  });

  it('needs a specification, which is listed until it is deleted', () => {
    const { chain, owner, signers, write } = setUp();
    const other = addressOfUuid('scopespec', '00000000-0c6e-4c3a-9d4c-0e2e8d5a7b11');
    expect(write({ specificationId: other }).code).toBe(18);
    const all = () => chain.query(Query.method.scopeSpecificationsAll, {}).scopeSpecifications;
    expect(all()).toMatchObject([{ scopeSpecIdInfo: { scopeSpecAddr: encodeMetadataAddress(specificationId) } }]);
    chain.deliver(owner, [message(tx.MsgDeleteScopeSpecificationRequestSchema, { specificationId, signers })]);
    expect(all()).toEqual([]);
  });
});
