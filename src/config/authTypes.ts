/** Supported signature algorithms. The configuration selects among them; the token never does (RFC 8725, 3.1). */
export const algorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

/** One of {@link algorithms}. */
export type Algorithm = (typeof algorithms)[number];

/** Which tokens are accepted: those of an outside issuer or of the embedded one. */
export type AuthConfig = OutsideIssuer | EmbeddedIssuer;

/** Tokens of an outside issuer are accepted. */
export interface OutsideIssuer {
  readonly kind: 'outside';
  readonly issuer: string;
  readonly audience: string;
  /** The URL of its key set; undefined discovers it from the issuer's metadata. */
  readonly jwksUrl: string | undefined;
  readonly algorithms: readonly Algorithm[];
  /** Whether the `typ` header of a token must be `at+jwt` (RFC 9068). */
  readonly strictType: boolean;
}

/** Tokens of the embedded issuer are accepted. */
export interface EmbeddedIssuer {
  readonly kind: 'embedded';
  /** The address of this API: the `iss` and `aud` of tokens. undefined uses the address that the server listens on. */
  readonly audience: string | undefined;
  /** The file of clients. undefined has one client, {@link devnetClient}, with every scope: only with the embedded chain or `--dev`. */
  readonly clientsFile: string | undefined;
  /** Whether {@link devnetClient} exists beside the clients of the file. */
  readonly hasDevnetClient?: boolean;
  /** The file of the signing keys. undefined keeps them in `keptKeys`, or where replicas share them. */
  readonly keysFile: string | undefined;
  /** The file in the data directory that keeps the signing keys without `keysFile`. undefined creates new keys at each start. */
  readonly keptKeys?: string | undefined;
  /** How long a token is valid, in seconds. */
  readonly lifetime: number;
}

/** The client for development. Its secret is public, so it exists only on loopback addresses. */
export const devnetClient = { id: 'devnet', secret: 'devnet', audience: 'http://localhost:4000' } as const;

/** How the pages of the dashboard get a token: by a login of the visitor at an OpenID provider, or as a public client of the embedded issuer. */
export type DashboardLogin =
  | {
      readonly kind: 'openid';
      readonly issuer: string;
      readonly clientId: string;
      /** The scopes that are asked for, separated by spaces. */
      readonly scope: string;
      /** Further parameters of the authorization request. */
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'client'; readonly clientId: string };
