import type { Any } from '@bufbuild/protobuf/wkt';
import { RecordInputStatus, ResultStatus } from '../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { DefinitionType, PartyType } from '../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import {
  MsgWriteRecordRequestSchema,
  MsgWriteRecordSpecificationRequestSchema,
  MsgWriteSessionRequestSchema,
} from '../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { recordIdOf, recordSpecIdOf, sessionIdOf } from '../runtime/metadataAddress.ts';
import { toAny } from './step.ts';

const hashOf = (text: string): string => Buffer.from(text).toString('base64');
const application = { name: 'application', typeName: 'org.example.Application' };

/** Writes the specifications of the records of loans: the note, its payments, and a valuation, which is made from the note of the scope. */
export function recordSpecSteps(contractSpec: Uint8Array, scopeId: Uint8Array, owner: string): Any[] {
  const note = {
    name: 'note',
    typeName: 'org.example.Loan',
    source: { case: 'recordId' as const, value: recordIdOf(scopeId, 'note') },
  };
  const specs = [
    {
      ...{ name: 'note', typeName: 'org.example.Loan', resultType: DefinitionType.RECORD },
      inputs: [{ ...application, source: { case: 'hash' as const, value: hashOf('application') } }],
    },
    { name: 'payments', typeName: 'org.example.Payments', resultType: DefinitionType.RECORD_LIST, inputs: [] },
    { name: 'valuation', typeName: 'org.example.Valuation', resultType: DefinitionType.RECORD, inputs: [note] },
  ];
  return specs.map((spec) =>
    toAny(MsgWriteRecordSpecificationRequestSchema, {
      specification: {
        specificationId: recordSpecIdOf(contractSpec, spec.name),
        responsibleParties: [PartyType.OWNER],
        ...spec,
      },
      signers: [owner],
    }),
  );
}

/** Writes two sessions of a scope, with records in each: the loan when it was made, and its servicing. One payment failed. */
export function recordSteps(contractSpec: Uint8Array, scopeId: Uint8Array, owner: string, servicer: string): Any[] {
  const session = (uuid: string, name: string, context: string) =>
    toAny(MsgWriteSessionRequestSchema, {
      session: {
        sessionId: sessionIdOf(scopeId, uuid),
        specificationId: contractSpec,
        parties: [{ address: owner, role: PartyType.OWNER }],
        ...{ name, context: Buffer.from(context) },
      },
      signers: [owner],
    });
  const process = (method: string) => ({
    processId: { case: 'hash' as const, value: hashOf(method) },
    name: 'org.example.LoanService',
    method,
  });
  const passed = (text: string) => ({ hash: hashOf(text), status: ResultStatus.PASS });
  const record = (uuid: string, name: string, init: object) =>
    toAny(MsgWriteRecordRequestSchema, { record: { sessionId: sessionIdOf(scopeId, uuid), name, ...init }, signers: [owner] });
  const [origination, servicing] = ['3a3a3a3a-1111-4222-8333-444444444444', '3b3b3b3b-1111-4222-8333-444444444444'] as const;
  return [
    session(origination, 'origination', '{"branch":"12"}'),
    record(origination, 'note', {
      process: process('originate'),
      inputs: [
        { ...application, source: { case: 'hash', value: hashOf('application 77') }, status: RecordInputStatus.PROPOSED },
      ],
      outputs: [passed('note')],
    }),
    session(servicing, 'servicing', ''),
    record(servicing, 'payments', {
      process: { processId: { case: 'address', value: servicer }, name: 'org.example.Servicing', method: 'collect' },
      outputs: [passed('March'), passed('April'), { hash: hashOf('May'), status: ResultStatus.FAIL }],
    }),
    record(servicing, 'valuation', {
      process: process('value'),
      inputs: [
        {
          ...{ name: 'note', typeName: 'org.example.Loan', status: RecordInputStatus.RECORD },
          source: { case: 'recordId', value: recordIdOf(scopeId, 'note') },
        },
      ],
      outputs: [{ hash: hashOf('valuation'), status: ResultStatus.SKIP }],
    }),
  ];
}
