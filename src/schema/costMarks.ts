/** Extensions of a field that, given a `suffix`, has the chain walk over more than it gives: it costs 5 times as much. */
export const scanField = { scan: true } as const;
