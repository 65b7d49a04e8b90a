/**
 * Whether a method changes the state of a node (`check_tx` uses up the sender's sequence; docs/chain.md, "check_tx uses up a
 * sequence"). Such a call is sent alone, is never repeated on the same node, and goes to another node only if this one cannot
 * have received it.
 */
export function isWrite(method: string): boolean {
  return /^(broadcast_|check_tx$|dial_|unsafe_)/.test(method);
}

/**
 * Whether a method reads the index of transactions or blocks, which some nodes do not have (docs/chain.md, "Transaction
 * index").
 */
export function readsIndex(method: string): boolean {
  return method === 'tx' || method === 'tx_search' || method === 'block_search';
}
