/** The JSON-RPC method that injects faults into a devnet and controls its blocks, over POST only. Real nodes do not have it. */
export const adminMethod = 'devnet';
