import { concat } from '../bytes.ts';
import { bytesOf } from './keyParts.ts';
import { addressOf, notFound, type Plan, plan } from './plan.ts';
import { get, type Reading } from './reads.ts';
import { messageField } from './wire.ts';

/** Reads the account of an address: the bytes of an `Any` (SDK x/auth/types/keys.go; the address has no length before it). */
export const storedAccount = (address: Uint8Array): Reading<Uint8Array | null> => get('acc', concat(bytesOf(0x01), address));

/** The plan of an account. */
export const accountPlans: readonly Plan[] = [
  plan('/cosmos.auth.v1beta1.Query/Account', function* (request, { prefix }) {
    const account = yield* storedAccount(addressOf(request.text(1), prefix));
    if (account === null) throw notFound(`account ${request.text(1)} not found`);
    return messageField(1, account);
  }),
];
