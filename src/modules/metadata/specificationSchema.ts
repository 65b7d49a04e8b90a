import { unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, enumValues, nonNull, nonNullList } from '../../schema/builder.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { metadataBytes, metadataIdInput, parentAddress } from './address.ts';
import type { ScopeSpecification } from './query.ts';
import { partyTypeEnum, ScopeSpecificationRef } from './schema.ts';
import {
  type ContractSpecification,
  createSpecificationLoaders,
  definitionTypes,
  type InputSpecification,
  type RecordSpecification,
} from './specificationQuery.ts';

export const ContractSpecificationRef = createRef<Pinned<ContractSpecification>>('ContractSpecification');
export const RecordSpecificationRef = createRef<Pinned<RecordSpecification>>('RecordSpecification');
const InputSpecificationRef = createRef<InputSpecification>('RecordInputSpecification');

/** Reads the contract specification with this id under the pin of `parent`; null if it does not exist. */
export function contractSpecificationAt(parent: Pinned<object>, id: string): Awaitable<Pinned<ContractSpecification> | null> {
  const pin = pinOf(parent);
  const tree = pin.loaders(createSpecificationLoaders).contractSpecification.load(id);
  return pinnedValue(
    pin,
    andThen(tree, ({ contract }) => contract),
  );
}

/** The record specifications of a contract specification, by address. */
function recordSpecificationsOf(parent: Pinned<object>, id: string): Awaitable<readonly Pinned<RecordSpecification>[]> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createSpecificationLoaders).contractSpecification.load(id), ({ records }) =>
    records.map((record) => pinned(pin, record)),
  );
}

/**
 * Reads the record specification with this id, with all of its contract specification, so that the records of a scope take one
 * read; null if it does not exist.
 */
export function recordSpecificationAt(parent: Pinned<object>, id: string): Awaitable<Pinned<RecordSpecification> | null> {
  const ofContract = recordSpecificationsOf(parent, parentAddress('contractspec', metadataBytes(id)));
  return andThen(ofContract, (records) => records.find((record) => record.id === id) ?? null);
}

/** Adds contract and record specifications. */
export function addSpecifications(builder: Builder): void {
  addContractSpecification(builder);
  addRecordSpecification(builder);
  builder.objectField(ScopeSpecificationRef, 'contractSpecifications', (t) =>
    t.field({
      ...nonNullList(ContractSpecificationRef, 'Its contract specifications that exist, in the order of `contractSpecIds`.'),
      resolve: (specification: Pinned<ScopeSpecification>) => {
        const pin = pinOf(specification);
        return andThen(pin.loaders(createSpecificationLoaders).ofScopeSpecification.load(specification.id), (trees) =>
          trees.flatMap(({ contract }) => (contract === null ? [] : [pinned(pin, contract)])),
        );
      },
    }),
  );
  addHeightFields(builder, (t) => ({
    contractSpecification: t.field({
      type: ContractSpecificationRef,
      description: 'The contract specification with this `contractspec1…` address or UUID; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => contractSpecificationAt(root, metadataIdInput('contractspec', 'id', id)),
    }),
    recordSpecification: t.field({
      type: RecordSpecificationRef,
      description: 'The record specification with this `recspec1…` address; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => recordSpecificationAt(root, metadataIdInput('recspec', 'id', id)),
    }),
  }));
}

function addContractSpecification(builder: Builder): void {
  builder.objectType(ContractSpecificationRef, {
    description:
      'The definition of a process that writes sessions and records of scopes (provenance.metadata.v1). It is not a contract of\n`cosmwasm.wasm.v1`.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `contractspec1…`.' }),
      uuid: t.exposeString('uuid', { nullable: false, description: 'The UUID in the address.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name; can be empty.' }),
      description: t.exposeString('description', { nullable: false, description: 'Description in free text; can be empty.' }),
      websiteUrl: t.exposeString('websiteUrl', { nullable: false, description: 'URL of a website; can be empty.' }),
      iconUrl: t.exposeString('iconUrl', { nullable: false, description: 'URL of an icon; can be empty.' }),
      owners: t.field({
        ...nonNullList(AccountRef, 'Accounts that own the specification.'),
        resolve: (specification) => specification.owners.map((address) => accountOf(specification, address)),
      }),
      partiesInvolved: t.expose(
        'partiesInvolved',
        nonNull([partyTypeEnum(builder)], 'Roles that a session of this specification requires.'),
      ),
      className: t.exposeString('className', { nullable: false, description: 'Name of the class of the process.' }),
      hash: t.exposeString('hash', { description: 'Hash of the code of the process; null if its address is given instead.' }),
      resourceId: t.exposeID('resourceId', {
        description: 'Metadata address of what represents the process on the chain; null if its hash is given instead.',
      }),
      recordSpecifications: t.field({
        ...nonNullList(RecordSpecificationRef, 'Its record specifications, by address.'),
        resolve: (specification) => recordSpecificationsOf(specification, specification.id),
      }),
    }),
  });
  addEntity(builder, ContractSpecificationRef, {
    id: (root, id) => contractSpecificationAt(root, metadataIdInput('contractspec', 'id', id)),
  });
}

function addRecordSpecification(builder: Builder): void {
  const DefinitionType = builder.enumType('RecordResultType', {
    description: 'What records of a specification contain.',
    values: enumValues([...definitionTypes, unrecognized], {
      DEFINITION_TYPE_PROPOSED: 'A value that is not on the chain.',
      DEFINITION_TYPE_RECORD: 'One output.',
      DEFINITION_TYPE_RECORD_LIST: 'One or more outputs.',
    }),
  });
  builder.objectType(InputSpecificationRef, {
    description: 'An input that records of a specification have.',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'Its name.' }),
      typeName: t.exposeString('typeName', { nullable: false, description: 'Name of its type.' }),
      recordId: t.exposeID('recordId', {
        description: 'Bech32 address of the record that it is, `record1…`; null for a hash.',
      }),
      hash: t.exposeString('hash', { description: 'The hash in the specification; null for a record.' }),
    }),
  });
  builder.objectType(RecordSpecificationRef, {
    description: 'The definition of the records of one name that a contract specification allows.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `recspec1…`.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name of the records.' }),
      typeName: t.exposeString('typeName', { nullable: false, description: 'Name of the type of their data.' }),
      resultType: t.expose('resultType', nonNull(DefinitionType, 'What they contain.')),
      inputs: t.expose('inputs', nonNullList(InputSpecificationRef, 'The inputs that they have.')),
      responsibleParties: t.expose('responsibleParties', nonNull([partyTypeEnum(builder)], 'Roles that must have signed.')),
      contractSpecification: t.field({
        type: ContractSpecificationRef,
        description: 'Its contract specification; null if that does not exist any more.',
        resolve: (specification) => contractSpecificationAt(specification, specification.contractSpecificationId),
      }),
    }),
  });
  addEntity(builder, RecordSpecificationRef, {
    id: (root, id) => recordSpecificationAt(root, metadataIdInput('recspec', 'id', id)),
  });
}
