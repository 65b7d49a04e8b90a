import { concat, equalBytes } from '../bytes.ts';
import { bytesOf, lengthPrefixed, lengthPrefixedPart } from './keyParts.ts';
import { listAnswer, pageRequest, storePage, valuesOf } from './page.ts';
import { addressOf, type Plan, plan, refused } from './plan.ts';
import { get } from './reads.ts';
import { bytesField, Message, messageField } from './wire.ts';

// The store `feegrant` (cosmossdk.io/x/feegrant key.go): grants by grantee, then granter.

const store = 'feegrant';
const grants = bytesOf(0x00);
/** The keys of the grants to an account. The address of the granter with its length follows. */
export const grantsTo = (grantee: Uint8Array): Uint8Array => concat(grants, lengthPrefixed(grantee));

/** The plans of fee grants. */
export const feegrantPlans: readonly Plan[] = [
  plan('/cosmos.feegrant.v1beta1.Query/Allowance', function* (request, { prefix }) {
    const [granter, grantee] = [request.text(1), request.text(2)];
    const key = concat(grantsTo(addressOf(grantee, prefix)), lengthPrefixed(addressOf(granter, prefix)));
    const grant = yield* get(store, key);
    if (grant === null) throw refused('rpc error: code = Internal desc = fee-grant not found: not found');
    const allowance = messageField(3, new Message(grant).bytes(3));
    return messageField(1, bytesField(1, granter), bytesField(2, grantee), allowance);
  }),
  plan('/cosmos.feegrant.v1beta1.Query/Allowances', function* (request, { prefix }) {
    const all = grantsTo(addressOf(request.text(1), prefix));
    const page = yield* storePage(store, all, pageRequest(request, 2));
    return listAnswer(valuesOf(page.rows), page);
  }),
  plan('/cosmos.feegrant.v1beta1.Query/AllowancesByGranter', function* (request, { prefix }) {
    const granter = addressOf(request.text(1), prefix);
    const page = yield* storePage(store, grants, pageRequest(request, 2), ([key]) => {
      const grantee = lengthPrefixedPart(key);
      return equalBytes(lengthPrefixedPart(key, grantee.length + 1), granter);
    });
    return listAnswer(valuesOf(page.rows), page);
  }),
];
