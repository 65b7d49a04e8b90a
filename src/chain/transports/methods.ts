/**
 * Whether a method changes what the node holds (`check_tx` uses the sender's sequence up: chain.md finding 13). Such a call
 * travels alone, is never asked again, and goes to another node only when this one cannot have seen it.
 */
export function isWrite(method: string): boolean {
  return /^(broadcast_|check_tx$|dial_|unsafe_)/.test(method);
}

/** Whether a method reads the index of transactions or blocks, which a node may not keep (chain.md finding 6). */
export function readsIndex(method: string): boolean {
  return method === 'tx' || method === 'tx_search' || method === 'block_search';
}
