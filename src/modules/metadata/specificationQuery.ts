import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import * as wire from '../../proto/provenance/metadata/v1/specification_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { andThen, lazyLoaders, ReadOnce } from '../../reads/pin.ts';
import { stateRead, valueOnce } from '../../reads/query.ts';
import { addressOrNull, anyMetadataAddress, metadataAddress, parentAddress, uuidOf } from './address.ts';
import { partyTypeOf } from './query.ts';

/** Names of `provenance.metadata.v1.DefinitionType`. */
export const definitionTypes = [
  'DEFINITION_TYPE_UNSPECIFIED',
  'DEFINITION_TYPE_PROPOSED',
  'DEFINITION_TYPE_RECORD',
  'DEFINITION_TYPE_RECORD_LIST',
] as const;

function inputFromWire({ name, typeName, source }: wire.InputSpecification) {
  return {
    name,
    typeName,
    recordId: source.case === 'recordId' ? addressOrNull('record', source.value) : null,
    hash: source.case === 'hash' ? source.value : null,
  };
}

/** An input that records of a specification have. */
export type InputSpecification = Readonly<ReturnType<typeof inputFromWire>>;

function recordSpecificationFromWire(specification: wire.RecordSpecification) {
  const resultType = wire.DefinitionTypeSchema.value[specification.resultType]?.name;
  return {
    id: metadataAddress('recspec', specification.specificationId),
    contractSpecificationId: parentAddress('contractspec', specification.specificationId),
    name: specification.name,
    typeName: specification.typeName,
    resultType: definitionTypes.find((each) => each === resultType) ?? unrecognized,
    inputs: specification.inputs.map(inputFromWire),
    responsibleParties: specification.responsibleParties.map(partyTypeOf),
  };
}

/** A record specification: what records with its name contain. */
export type RecordSpecification = Readonly<ReturnType<typeof recordSpecificationFromWire>>;

function contractSpecificationFromWire(specification: wire.ContractSpecification) {
  const { description, source } = specification;
  return {
    id: metadataAddress('contractspec', specification.specificationId),
    uuid: uuidOf(specification.specificationId),
    name: description?.name ?? '',
    description: description?.description ?? '',
    websiteUrl: description?.websiteUrl ?? '',
    iconUrl: description?.iconUrl ?? '',
    owners: specification.ownerAddresses,
    partiesInvolved: specification.partiesInvolved.map(partyTypeOf),
    className: specification.className,
    hash: source.case === 'hash' ? source.value : null,
    // The chain checks that these bytes are a metadata address, although it prints them as an address of an account (recorded).
    resourceId: source.case === 'resourceId' ? (anyMetadataAddress(source.value) ?? null) : null,
  };
}

/** A contract specification: the definition of a process that writes sessions and records. */
export type ContractSpecification = Readonly<ReturnType<typeof contractSpecificationFromWire>>;

/** A contract specification, null if it does not exist, with its record specifications, by address. */
interface SpecificationTree {
  readonly id: string;
  readonly contract: ContractSpecification | null;
  readonly records: readonly RecordSpecification[];
}

type WireRecords = readonly { readonly specification?: wire.RecordSpecification | undefined }[];

const recordsFromWire = (answers: WireRecords): readonly RecordSpecification[] =>
  answers.flatMap(({ specification }) => (specification ? [recordSpecificationFromWire(specification)] : []));

/** Reads a contract specification with its record specifications. The chain reports absence as a response without a specification (recorded). */
const readTree = stateRead({
  method: Query.method.contractSpecification,
  request: (specificationId: string) => ({ specificationId, includeRecordSpecs: true, excludeIdInfo: true }),
  value: ({ contractSpecification, recordSpecifications }, id): SpecificationTree => {
    const specification = contractSpecification?.specification;
    const contract = specification ? contractSpecificationFromWire(specification) : null;
    return { id, contract, records: recordsFromWire(recordSpecifications) };
  },
});

/** Reads the contract specifications of a scope specification, in its order, and their record specifications. Absent ones are left out. */
const readTrees = stateRead({
  method: Query.method.scopeSpecification,
  request: (specificationId: string) => ({
    ...{ specificationId, includeContractSpecs: true, includeRecordSpecs: true, excludeIdInfo: true },
  }),
  value: ({ contractSpecs, recordSpecs }): readonly SpecificationTree[] => {
    const records = recordsFromWire(recordSpecs);
    return contractSpecs.flatMap(({ specification }) => {
      if (specification === undefined) return [];
      const contract = contractSpecificationFromWire(specification);
      const { id } = contract;
      return [{ id, contract, records: records.filter(({ contractSpecificationId }) => contractSpecificationId === id) }];
    });
  },
});

interface SpecificationLoaders {
  readonly contractSpecification: ReadOnce<string, SpecificationTree>;
  readonly ofScopeSpecification: ReadOnce<string, readonly SpecificationTree[]>;
}

/** The loaders of one pin, by address. A contract specification that was read with its scope specification is not read again. */
export const createSpecificationLoaders = lazyLoaders<SpecificationLoaders>({
  contractSpecification: valueOnce(readTree),
  ofScopeSpecification: ({ state }, { contractSpecification }) =>
    new ReadOnce((id: string) =>
      andThen(readTrees(state, id), (trees) => {
        contractSpecification.prime(trees, (tree) => tree.id);
        return trees;
      }),
    ),
});
