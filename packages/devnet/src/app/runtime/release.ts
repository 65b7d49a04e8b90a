/** The Provenance release that the devnet reports, and with which it was compared. */
export const release = { name: 'Provenance', binary: 'provenanced', version: 'v1.29.0', sdk: 'v0.53.5' } as const;
