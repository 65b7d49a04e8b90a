/** The JSON-RPC method, over POST only, that turns the knobs of a devnet from outside. No real node has it. */
export const adminMethod = 'devnet';
