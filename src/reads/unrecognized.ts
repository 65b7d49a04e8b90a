/** Replaces an enum value that this server does not have, because the chain is newer. */
export const unrecognized = 'UNRECOGNIZED';
