/** The release that the devnet was compared with, which it says it is. */
export const release = { name: 'Provenance', binary: 'provenanced', version: 'v1.29.0', sdk: 'v0.53.5' } as const;
