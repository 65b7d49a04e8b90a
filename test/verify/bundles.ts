import {
  createSignatureCheck,
  decodeLightBlock,
  decodeValidators,
  fromBase64,
  type LightBlock,
  type TrustOptions,
} from '../../packages/verify/src/index.ts';
import { recording } from '../recordings/recording.ts';

/** What a node returned at a height of the chain with several validators. */
export interface ChainRow {
  readonly height: number;
  readonly commit: { readonly signed_header: SignedHeader };
  readonly validators: { readonly validators: readonly ValidatorJson[] };
}

export interface SignedHeader {
  readonly header: { readonly height: string; readonly chain_id: string; readonly app_hash: string };
  readonly commit: { readonly signatures: readonly { readonly block_id_flag: number; readonly signature: string | null }[] };
}

export interface ValidatorJson {
  readonly address: string;
  readonly pub_key: { readonly type: string; readonly value: string };
  readonly voting_power: string;
  readonly proposer_priority?: string;
}

/** A key with its value, which is null if the key is absent, and its proof. All are base64. */
export interface Answer {
  readonly key: string;
  readonly value: string | null;
  readonly iavl: string;
}

/** The ranges of a real wasmd node at one height, with the commit of the next one. */
export interface StoreRanges {
  readonly height: string;
  readonly commit: { readonly signed_header: SignedHeader };
  readonly validators: { readonly validators: readonly ValidatorJson[] };
  /** The data of `ics23:simple` by store. */
  readonly simple: Readonly<Record<string, string>>;
  readonly ranges: readonly { readonly store: string; readonly prefix: string; readonly answers: readonly Answer[] }[];
}

export const chainId = 'facts-net-1';

/** 112 heights of a chain whose validators join, leave, are jailed and change their power. */
export function chainRows(): readonly ChainRow[] {
  return recording<{ readonly heights: readonly ChainRow[] }>('light-chain').heights;
}

export function storeRanges(): StoreRanges {
  return recording<StoreRanges>('store-ranges');
}

export function lightBlockOf({ commit, validators }: Pick<ChainRow, 'commit' | 'validators'>): LightBlock {
  return decodeLightBlock(commit.signed_header, decodeValidators(validators.validators));
}

/** Options that verify every signature, at a time shortly after the recording. */
export function trustAt(block: LightBlock): TrustOptions {
  return {
    chainId: block.header.chainId,
    check: createSignatureCheck(),
    signatures: 'ALL',
    trustingPeriod: 86_400_000_000_000n,
    now: block.header.time + 1_000_000_000n,
  };
}

export function bytesOf(base64: string): Uint8Array {
  return fromBase64(base64, 'a recording');
}
