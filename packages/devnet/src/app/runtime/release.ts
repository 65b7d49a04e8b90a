/** What a chain reports about its application. */
export interface Release {
  readonly name: string;
  readonly binary: string;
  readonly version: string;
  readonly sdk: string;
}

/** The Provenance release that the devnet reports, and with which it was compared. */
export const release: Release = { name: 'Provenance', binary: 'provenanced', version: 'v1.29.0', sdk: 'v0.53.5' };

/** What the devnet reports if it lacks modules of Provenance: no release of that chain. */
export const otherRelease: Release = { name: 'stele-devnet', binary: 'stele-devnetd', version: 'v1.0.0', sdk: 'v0.53.5' };
