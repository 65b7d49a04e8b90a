/** Algorithms that a signature may be of. Which of them are taken is configuration, and never the token's own say (RFC 8725, 3.1). */
export const algorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

/** One of {@link algorithms}. */
export type Algorithm = (typeof algorithms)[number];

/** Whose tokens are taken. */
export type AuthConfig = OutsideIssuer | EmbeddedIssuer;

/** Those of another issuer. */
export interface OutsideIssuer {
  readonly kind: 'outside';
  readonly issuer: string;
  readonly audience: string;
  /** Where its keys are; undefined asks the issuer. */
  readonly jwksUrl: string | undefined;
  readonly algorithms: readonly Algorithm[];
  /** Whether the type in a token's header must be `at+jwt`. */
  readonly strictType: boolean;
}

/** Our own. */
export interface EmbeddedIssuer {
  readonly kind: 'embedded';
  /** The address of this API, which is the `iss` and the `aud` of tokens; undefined on the machine of a developer. */
  readonly audience: string | undefined;
  /** undefined has one client: `devnet`, with the secret `devnet` and every scope. Only with the embedded chain or `--dev`. */
  readonly clientsFile: string | undefined;
  /** Where its keys are between starts; undefined makes new ones at each. */
  readonly keysFile: string | undefined;
  /** How long a token holds, seconds. */
  readonly lifetime: number;
}

/** The client of developers; its secret is known to everybody, so it is only where nobody else can ask. */
export const devnetClient = { id: 'devnet', secret: 'devnet', audience: 'http://localhost:4000' } as const;
