import { create } from '@bufbuild/protobuf';
import {
  EventContractSpecificationCreatedSchema,
  EventContractSpecificationUpdatedSchema,
  EventRecordSpecificationCreatedSchema,
  EventRecordSpecificationUpdatedSchema,
  EventScopeSpecificationCreatedSchema,
  EventScopeSpecificationDeletedSchema,
  EventScopeSpecificationUpdatedSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import {
  ContractSpecificationSchema,
  RecordSpecificationSchema,
  ScopeSpecificationSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import {
  MsgDeleteScopeSpecificationRequestSchema,
  MsgDeleteScopeSpecificationResponseSchema,
  MsgWriteContractSpecificationRequestSchema,
  MsgWriteContractSpecificationResponseSchema,
  MsgWriteRecordSpecificationRequestSchema,
  MsgWriteRecordSpecificationResponseSchema,
  MsgWriteScopeSpecificationRequestSchema,
  MsgWriteScopeSpecificationResponseSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { abciError, PlainError, refusing } from '../../runtime/abciErrors.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import {
  addressOfUuid,
  contractSpecIdOf,
  encodeMetadataAddress,
  isMetadataAddress,
  recordSpecIdOf,
  uuidOf,
} from '../../runtime/metadataAddress.ts';
import { keyOf } from '../../state/bytes.ts';
import { completed, requireSigned } from './checks.ts';
import { contractSpecIdInfo, recordSpecIdInfo, scopeSpecIdInfo } from './idInfo.ts';
import {
  findContractSpec,
  findRecordSpec,
  findScopeSpec,
  metadataStore,
  saveContractSpec,
  saveRecordSpec,
  saveScopeSpec,
} from './state.ts';

/** The messages of scope, contract and record specifications. Creation is recorded; the rest is inferred. */
export const specMessages: readonly MessageHandler[] = [
  onMessage(
    MsgWriteScopeSpecificationRequestSchema,
    MsgWriteScopeSpecificationResponseSchema,
    ({ signers }) => signers,
    (context, { specification, specUuid, signers }) =>
      refusing(() => {
        const spec = create(ScopeSpecificationSchema, specification);
        if (specUuid !== '') spec.specificationId = addressOfUuid('scopespec', specUuid);
        const { specificationId: id } = spec;
        if (!isMetadataAddress('scopespec', id)) throw new PlainError('invalid scope specification identifier');
        for (const contractId of spec.contractSpecIds) {
          if (findContractSpec(context, contractId) === undefined) {
            throw new PlainError(`no contract spec exists with id ${encodeMetadataAddress(contractId)}`);
          }
        }
        const before = findScopeSpec(context, id);
        requireSigned(before?.ownerAddresses ?? spec.ownerAddresses, signers);
        saveScopeSpec(context, spec);
        const event = { scopeSpecificationAddr: encodeMetadataAddress(id) };
        context.emit(
          before === undefined
            ? typedEvent(EventScopeSpecificationCreatedSchema, event)
            : typedEvent(EventScopeSpecificationUpdatedSchema, event),
        );
        completed(context, 'WriteScopeSpecification', signers);
        return { scopeSpecIdInfo: scopeSpecIdInfo(id) };
      }),
  ),
  onMessage(
    MsgDeleteScopeSpecificationRequestSchema,
    MsgDeleteScopeSpecificationResponseSchema,
    ({ signers }) => signers,
    (context, { specificationId, signers }) =>
      refusing(() => {
        const spec = isMetadataAddress('scopespec', specificationId) ? findScopeSpec(context, specificationId) : undefined;
        if (spec === undefined) throw new PlainError('scope specification not found');
        requireSigned(spec.ownerAddresses, signers);
        context.delete(metadataStore, keyOf(specificationId));
        const event = { scopeSpecificationAddr: encodeMetadataAddress(specificationId) };
        context.emit(typedEvent(EventScopeSpecificationDeletedSchema, event));
        completed(context, 'DeleteScopeSpecification', signers);
        return {};
      }),
  ),
  onMessage(
    MsgWriteContractSpecificationRequestSchema,
    MsgWriteContractSpecificationResponseSchema,
    ({ signers }) => signers,
    (context, { specification, specUuid, signers }) =>
      refusing(() => {
        const spec = create(ContractSpecificationSchema, specification);
        if (specUuid !== '') spec.specificationId = addressOfUuid('contractspec', specUuid);
        const { specificationId: id } = spec;
        if (!isMetadataAddress('contractspec', id)) throw new PlainError('invalid contract specification identifier');
        const before = findContractSpec(context, id);
        requireSigned(before?.ownerAddresses ?? spec.ownerAddresses, signers);
        saveContractSpec(context, spec);
        const event = { contractSpecificationAddr: encodeMetadataAddress(id) };
        context.emit(
          before === undefined
            ? typedEvent(EventContractSpecificationCreatedSchema, event)
            : typedEvent(EventContractSpecificationUpdatedSchema, event),
        );
        completed(context, 'WriteContractSpecification', signers);
        return { contractSpecIdInfo: contractSpecIdInfo(id) };
      }),
  ),
  onMessage(
    MsgWriteRecordSpecificationRequestSchema,
    MsgWriteRecordSpecificationResponseSchema,
    ({ signers }) => signers,
    (context, { specification, contractSpecUuid, signers }) =>
      refusing(() => {
        const spec = create(RecordSpecificationSchema, specification);
        if (contractSpecUuid !== '')
          spec.specificationId = recordSpecIdOf(addressOfUuid('contractspec', contractSpecUuid), spec.name);
        const { specificationId: id } = spec;
        if (!isMetadataAddress('recspec', id)) throw new PlainError('invalid record specification identifier');
        const contractId = contractSpecIdOf(id);
        const contract = findContractSpec(context, contractId);
        if (contract === undefined) {
          const [address, uuid] = [encodeMetadataAddress(contractId), uuidOf(contractId)];
          const text = `contract specification not found with id ${address} (uuid ${uuid}) required for adding or updating record specification with id ${encodeMetadataAddress(id)}`;
          throw abciError('notFound', text);
        }
        requireSigned(contract.ownerAddresses, signers);
        const before = findRecordSpec(context, id);
        if (before !== undefined && before.name !== spec.name) {
          throw new PlainError(`cannot update record spec name. expected ${before.name}, got ${spec.name}`);
        }
        saveRecordSpec(context, spec);
        const event = {
          recordSpecificationAddr: encodeMetadataAddress(id),
          contractSpecificationAddr: encodeMetadataAddress(contractId),
        };
        context.emit(
          before === undefined
            ? typedEvent(EventRecordSpecificationCreatedSchema, event)
            : typedEvent(EventRecordSpecificationUpdatedSchema, event),
        );
        completed(context, 'WriteRecordSpecification', signers);
        return { recordSpecIdInfo: recordSpecIdInfo(id) };
      }),
  ),
];
