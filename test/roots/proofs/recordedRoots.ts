import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { recording } from '../../recordings/recording.ts';
import { type AbciResponse, readRecording } from '../../recordings/recordings.ts';

/** A recorded proof of the root of a store at a height. */
export interface RootRow {
  readonly store: string;
  readonly height: bigint;
  /** The result of `abci_query`. */
  readonly result: JsonObject;
}

/** The app hash in a recorded header, in lower case hex. */
function appHashIn(header: JsonValue | undefined): string {
  if (typeof header !== 'object' || header === null || Array.isArray(header)) throw new Error('no header');
  return String(header.app_hash).toLowerCase();
}

/** The rows of store-roots.json, in the order of heights. */
export function readRootRows(): readonly RootRow[] {
  const rows = recording<{ store: string; height: string; response: AbciResponse }[]>('store-roots');
  return rows.map(({ store, height, response }) => ({ store, height: BigInt(height), result: { response: { ...response } } }));
}

/** The app hash in the header of each height of governance-chain.json, in lower case hex. */
export function readAppHashes(): ReadonlyMap<bigint, string> {
  const rows = readRecording('governance-chain');
  return new Map(rows.map(({ height, block }) => [BigInt(height), appHashIn(block.block.header)]));
}

/** The two rows of proofs.json with a proof, both of the group store, and the app hash in the header that proves them. */
export function readKeyProofs(): { readonly rows: readonly RootRow[]; readonly appHash: string } {
  const rows: RootRow[] = [];
  let appHash = '';
  for (const { response } of readRecording('proofs')) {
    const { result } = response as unknown as { result: { response?: AbciResponse; header?: JsonValue } };
    if (result.header !== undefined) appHash = appHashIn(result.header);
    if (!result.response?.proofOps) continue;
    rows.push({ store: 'group', height: BigInt(result.response.height), result: { response: { ...result.response } } });
  }
  return { rows, appHash };
}
