import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { AttributeType } from '../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import {
  MsgAddAttributeRequestSchema,
  MsgSetAccountDataRequestSchema,
} from '../../../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { MsgBindNameRequestSchema } from '../../../../../src/proto/provenance/name/v1/tx_pb.js';
import type { MemberFixture } from '../fixtures/fixtures.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { seconds, timestampOf } from '../runtime/time.ts';
import { inTurn, toAny } from './step.ts';

/** The root name, and the names of the attributes. */
export const rootName = 'pb';
/** The owner of each name: index of an account of the wallet. */
export const nameOwners = { root: 0, kyc: 7, score: 7, visits: 7, asset: 1, badge: 2 } as const;

/** Number of badges of one account: more than a page. */
export const badges = 30;

const day = 24 * 3600;
const { STRING, JSON: JSON_TYPE, UUID, URI, INT, FLOAT, PROTO, BYTES } = AttributeType;

interface Claim {
  readonly account: string;
  readonly name: string;
  readonly owner: string;
  readonly type: AttributeType;
  readonly value: string | Uint8Array;
  readonly expires?: Timestamp;
  readonly concreteType?: string;
}

function claim({ account, name, owner, type, value, expires, concreteType = '' }: Claim) {
  return toAny(MsgAddAttributeRequestSchema, {
    name,
    value: typeof value === 'string' ? new Uint8Array(Buffer.from(value)) : value,
    attributeType: type,
    account,
    owner,
    concreteType,
    ...(expires && { expirationDate: expires }),
  });
}

/** A fixed UUID. */
function uuid(index: number): string {
  return `a4c8b9a0-2f0b-4c7e-9d51-${index.toString(16).padStart(12, '0')}`;
}

/**
 * Creates names under `pb`, and attributes of the assembly's members: values of every type, some of which expire, and one name
 * with many values.
 */
export function attestationSteps(
  addresses: readonly string[],
  assembly: readonly MemberFixture[],
  scope: string,
): HistoryStep[] {
  const at = (index: number): string => addresses[index] ?? '';
  const bind = (label: string, owner: string) =>
    toAny(MsgBindNameRequestSchema, {
      parent: { name: rootName, address: at(nameOwners.root) },
      record: { name: label, address: owner, restricted: true },
    });
  const underKyc = (label: string) =>
    toAny(MsgBindNameRequestSchema, {
      parent: { name: 'kyc.pb', address: at(nameOwners.kyc) },
      record: { name: label, address: at(nameOwners.score), restricted: true },
    });
  const kyc = (account: string, type: AttributeType, value: string) =>
    claim({ account, name: 'kyc.pb', owner: at(nameOwners.kyc), type, value });
  const score = (account: string, type: AttributeType, value: string) =>
    claim({ account, name: 'score.kyc.pb', owner: at(nameOwners.score), type, value });
  const asset = { name: 'asset.pb', owner: at(nameOwners.asset) };
  const badge = { name: 'badge.pb', owner: at(nameOwners.badge) };
  const note = (account: string, value: string) => toAny(MsgSetAccountDataRequestSchema, { account, value });

  return inTurn(25 * day, [
    bind('kyc', at(nameOwners.kyc)),
    bind('asset', at(nameOwners.asset)),
    bind('badge', at(nameOwners.badge)),
    underKyc('score'),
    underKyc('visits'),
    ...assembly.map(({ address, metadata }, index) =>
      kyc(address, JSON_TYPE, JSON.stringify({ name: metadata, level: 1 + (index % 3) })),
    ),
    ...addresses.slice(0, 6).map((address) => kyc(address, STRING, 'passed')),
    ...addresses.slice(0, 3).map((address, index) => kyc(address, UUID, uuid(index))),
    ...addresses.slice(0, 2).map((address, index) => kyc(address, URI, `https://example.org/kyc/${index}`)),
    // Larger than a double can represent exactly.
    ...addresses.slice(0, 8).map((address, index) => score(address, INT, String(9_007_199_254_740_993n + BigInt(index)))),
    ...addresses.slice(0, 4).map((address, index) => score(address, FLOAT, `${3 + index}.25`)),
    claim({
      ...asset,
      account: at(0),
      type: PROTO,
      value: Uint8Array.of(0x0a, 3, 0x61, 0x62, 0x63),
      concreteType: 'example.v1.Vault',
    }),
    claim({ ...asset, account: at(0), type: BYTES, value: Uint8Array.of(0, 255, 1, 254) }),
    claim({ ...asset, account: at(1), type: BYTES, value: Uint8Array.of(0xde, 0xad) }),
    claim({ ...asset, account: at(2), type: STRING, value: 'Vault 7, shelf 3' }),
    claim({ ...asset, account: at(2), type: STRING, value: 'Insured', expires: timestampFromMs(Date.UTC(2050, 0, 15)) }),
    // Expires ten minutes after genesis.
    (genesisTime) =>
      claim({ ...asset, account: at(0), type: STRING, value: 'Day pass', expires: timestampOf(genesisTime + seconds(600)) }),
    ...Array.from({ length: badges }, (_, index) =>
      claim({ ...badge, account: at(3), type: STRING, value: `Reviewed audit ${index + 1}` }),
    ),
    claim({ account: scope, name: 'asset.pb', owner: asset.owner, type: STRING, value: 'First lien' }),
    note(at(0), 'Chairs the assembly.'),
    note(at(1), 'Keeps the vault.'),
  ]);
}
