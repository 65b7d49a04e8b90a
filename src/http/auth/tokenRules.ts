import type { Algorithm } from '../../config/authTypes.ts';
import type { AuthKeys } from './keySet.ts';

/** What tokens are taken. */
export interface TokenRules {
  readonly keys: AuthKeys;
  readonly algorithms: readonly Algorithm[];
  /** The `iss` of every token. */
  readonly issuer: () => string;
  /** What every token has as its `aud`, or among them. */
  readonly audience: string;
  /** Whether the type in the header must be `at+jwt` (RFC 9068); else any but that of an id token. */
  readonly strictType: boolean;
}
