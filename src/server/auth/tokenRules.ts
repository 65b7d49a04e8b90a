import type { Algorithm } from '../../config/settings/authConfig.ts';
import type { AuthKeys } from './keySet.ts';

/** The rules for accepted tokens. */
export interface TokenRules {
  readonly keys: AuthKeys;
  readonly algorithms: readonly Algorithm[];
  /** Required value of `iss`. */
  readonly issuer: () => string;
  /** Required value of `aud`, or of one of its members. */
  readonly audience: string;
  /** Whether the header must have the type `at+jwt` (RFC 9068). If false, id tokens are still refused by their claims. */
  readonly strictType: boolean;
}
