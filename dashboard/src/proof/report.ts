import type { BundleJson, Level, ProofErrorCode, TrustKind } from '@stele/verify';

/** The block that this browser believes: the newest one that it has verified, as a node printed it, and where its trust began. */
export interface KeptTrust {
  readonly header: unknown;
  readonly commit: unknown;
  readonly validators: unknown;
  readonly since: { readonly height: string; readonly hash: string; readonly time: string };
}

/** An answer of the API as it came, with the proof in its extensions. */
export interface ProvenAnswer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[];
  readonly extensions?: { readonly proof?: BundleJson | null; readonly height?: string };
}

/** What the worker is asked to verify. */
export interface VerifyRequest {
  readonly answer: ProvenAnswer;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The chain and the height that the page shows. undefined if it has shown none yet. */
  readonly chainId: string | undefined;
  readonly height: string | undefined;
  readonly trust: KeptTrust | undefined;
}

/** A validator of the header, and whether its signature was verified. */
export interface Signer {
  readonly address: string;
  readonly power: string;
  readonly hasSigned: boolean;
}

/** A store of the proof. */
export interface StoreLink {
  readonly name: string;
  readonly root: string;
  /** Bytes of the part of its tree. */
  readonly bytes: number;
  /** How many keys were read in it, those that are proven to be absent included. */
  readonly keys: number;
}

/** A field of the answer, by its path, with response names and without indexes. */
export interface FieldLink {
  readonly path: string;
  readonly level: Level;
  /** The query methods that its value was computed from. */
  readonly methods: readonly string[];
  readonly reason: string | undefined;
}

/** What was verified, link by link. Hashes are hex. */
export interface ProofReport {
  readonly chainId: string;
  /** The height of the state. */
  readonly height: string;
  /** The time of its block, RFC 3339. */
  readonly time: string;
  readonly trust: TrustKind;
  /** Where the trust of this browser began. */
  readonly since: KeptTrust['since'];
  readonly validatorsHash: string;
  readonly signers: readonly Signer[];
  readonly signedPower: string;
  readonly totalPower: string;
  /** The header that proves the state: that of the next height. */
  readonly header: { readonly height: string; readonly hash: string; readonly appHash: string; readonly time: string };
  readonly stores: readonly StoreLink[];
  readonly requests: readonly string[];
  readonly fields: readonly FieldLink[];
  /** How long the verification took in the worker, in ms. */
  readonly milliseconds: number;
}

/**
 * What the worker answers: the report and what the browser believes from now on, or what is wrong; `isOlder` if nothing leads from the block that the browser believes
 * to an earlier one.
 */
export type VerifyResponse =
  | { readonly isOlder: true }
  | { readonly report: ProofReport; readonly trust: KeptTrust }
  | { readonly code: ProofErrorCode; readonly message: string; readonly field: string | undefined };

/** The levels of the fields of a report, counted. */
export function levelCounts({ fields }: Pick<ProofReport, 'fields'>): Readonly<Record<Level, number>> {
  const counts = { PROVEN: 0, RECOMPUTED: 0, QUORUM: 0, ASSERTED: 0 };
  for (const { level } of fields) counts[level] += 1;
  return counts;
}
