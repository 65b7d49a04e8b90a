import { PartyType } from '../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import {
  MsgAddNetAssetValuesRequestSchema,
  MsgSetAccountDataRequestSchema,
  MsgWriteContractSpecificationRequestSchema,
  MsgWriteScopeRequestSchema,
  MsgWriteScopeSpecificationRequestSchema,
} from '../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { addressOfUuid, encodeMetadataAddress, type MetadataKind } from '../runtime/metadataAddress.ts';
import { recordSpecSteps, recordSteps } from './records.ts';
import { inTurn, toAny } from './step.ts';
import { tokens } from './tokens.ts';

const day = 24 * 3600;

function idOf(kind: MetadataKind, digit: string): Uint8Array {
  return addressOfUuid(kind, `${digit.repeat(8)}-2222-4333-8444-555555555555`);
}

const contractSpec = idOf('contractspec', '2');
const loanSpec = idOf('scopespec', '1');
const deedSpec = idOf('scopespec', '5');

/** The owner of all scopes: index of an account of the wallet. */
export const scopeOwner = 0;

interface ScopePlan {
  readonly id: Uint8Array;
  readonly spec: Uint8Array;
  /** Indexes of accounts of the wallet. */
  readonly second?: number;
  readonly dataAccess: readonly number[];
  readonly valueOwner: number;
  /** Price in mills: thousandths of a dollar. */
  readonly mills: bigint;
}

const plans: readonly ScopePlan[] = [
  { id: idOf('scope', '3'), spec: loanSpec, dataAccess: [1, 2], valueOwner: 0, mills: 250_000_000n },
  { id: idOf('scope', '4'), spec: loanSpec, second: 2, dataAccess: [3], valueOwner: 1, mills: 310_500_000n },
  { id: idOf('scope', '6'), spec: loanSpec, dataAccess: [], valueOwner: 0, mills: 187_250_000n },
  { id: idOf('scope', '7'), spec: deedSpec, second: 3, dataAccess: [0, 1, 2], valueOwner: 3, mills: 0n },
  { id: idOf('scope', '8'), spec: deedSpec, dataAccess: [4], valueOwner: 6, mills: 96_000_000n },
];

/** The addresses of the scopes, in order. */
export const scopeAddresses: readonly string[] = plans.map(({ id }) => encodeMetadataAddress(id));

/**
 * Creates scopes of two specifications, with owners, data access, value owners and prices. The first has prices in two
 * denominations, account data, sessions and records. These steps must follow those of the tokens.
 */
export function scopeSteps(addresses: readonly string[]): HistoryStep[] {
  const at = (index: number): string => addresses[index] ?? '';
  const owner = at(scopeOwner);
  const description = (name: string, text: string) => ({
    name,
    description: text,
    websiteUrl: 'https://example.org/scopes',
    iconUrl: '',
  });
  const [first = ''] = scopeAddresses;
  const spec = (specificationId: Uint8Array, name: string, text: string) =>
    toAny(MsgWriteScopeSpecificationRequestSchema, {
      specification: {
        specificationId,
        description: description(name, text),
        ownerAddresses: [owner],
        partiesInvolved: [PartyType.OWNER],
        contractSpecIds: [contractSpec],
      },
      signers: [owner],
    });
  const signers = (second: number | undefined): string[] => (second === undefined ? [owner] : [owner, at(second)]);

  return inTurn(18 * day, [
    toAny(MsgWriteContractSpecificationRequestSchema, {
      specification: {
        specificationId: contractSpec,
        description: description('loan', 'A loan and its documents.'),
        ownerAddresses: [owner],
        partiesInvolved: [PartyType.OWNER],
        source: { case: 'hash', value: 'Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2M=' },
        className: 'loan',
      },
      signers: [owner],
    }),
    ...recordSpecSteps(contractSpec, idOf('scope', '3'), owner),
    spec(loanSpec, 'home-loan', 'A home loan with its payments.'),
    spec(deedSpec, 'deed', 'A deed of land.'),
    ...plans.map(({ id, spec: specificationId, second, dataAccess, valueOwner, mills }) =>
      toAny(MsgWriteScopeRequestSchema, {
        scope: {
          scopeId: id,
          specificationId,
          owners: [
            { address: owner, role: PartyType.OWNER },
            ...(second === undefined ? [] : [{ address: at(second), role: PartyType.ORIGINATOR }]),
          ],
          dataAccess: dataAccess.map(at),
          valueOwnerAddress: at(valueOwner),
        },
        signers: signers(second),
        usdMills: mills,
      }),
    ),
    ...recordSteps(contractSpec, idOf('scope', '3'), owner, at(1)),
    toAny(MsgAddNetAssetValuesRequestSchema, {
      scopeId: first,
      signers: [owner],
      netAssetValues: [{ price: { denom: tokens.dollar, amount: '249000000000' }, volume: 1n }],
    }),
    toAny(MsgSetAccountDataRequestSchema, {
      metadataAddr: plans[0]?.id ?? loanSpec,
      value: 'Serviced since the spring.',
      signers: [owner],
    }),
  ]);
}
