import type { Gateway } from './gateway.ts';

interface Answer {
  readonly result?: {
    readonly sync_info?: { readonly latest_block_height: string; readonly latest_block_hash: string };
    readonly block_id?: { readonly hash: string };
    readonly block?: { readonly header: { readonly height: string } };
    readonly data?: { readonly type: string; readonly value: Answer['result'] };
  };
}

/** Returns the hash that the forger reports instead of this one. */
export const forgedHash = (hash: string): string => `FFFFFFFFFFFFFFFF${hash.slice(16)}`;

/**
 * Makes the node behind a gateway report forged hashes from a height on, in every response and event. Its blocks are linked to
 * each other and to the true block below.
 */
export function forgeFrom(gateway: Gateway, from: bigint): void {
  const hashes = new Set<string>();
  const note = (height: string, hash: string): void => {
    if (BigInt(height) >= from) hashes.add(hash);
  };
  const forge = (own: string): string => {
    for (const { result } of [JSON.parse(own)].flat() as Answer[]) {
      const value = result?.data?.type === 'tendermint/event/NewBlock' ? result.data.value : result;
      if (value?.sync_info) note(value.sync_info.latest_block_height, value.sync_info.latest_block_hash);
      if (value?.block_id && value.block) note(value.block.header.height, value.block_id.hash);
    }
    let text = own;
    for (const hash of hashes) text = text.replaceAll(hash, forgedHash(hash));
    return text;
  };
  gateway.answer = (response, own) => void response.end(forge(own));
  gateway.message = ({ socket }, own) => socket.send(forge(own));
}
