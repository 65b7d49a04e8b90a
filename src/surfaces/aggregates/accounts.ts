import { pageDefault } from '../../config/bounds.ts';
import { createAccountLoaders } from '../../modules/account/query.ts';
import { createAttributeLoaders } from '../../modules/attribute/query.ts';
import { namesList } from '../../modules/name/query.ts';
import { readPage } from '../../reads/page.ts';
import { accountInPath } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { accountDetails } from './schemas.ts';

/** The details of an account. Upstream reads: the account, its names and its account data. */
export function accountsRoute(): Route {
  return createRoute({
    path: '/v1/accounts/{address}',
    operationId: 'getAccount',
    services: ['cosmos.auth.v1beta1.Query', 'provenance.name.v1.Query', 'provenance.attribute.v1.Query'],
    summary: 'Details and names of an account',
    description:
      'Returns the kind, the names and the account data of an address. Every well-formed address has a response, even if the chain has no account at it.',
    parameters: { address: accountInPath },
    name: 'Account',
    fields: { item: accountDetails },
    points: () => 24,
    async answer(pin, { address }) {
      const [stored, names, accountData] = await Promise.all([
        pin.loaders(createAccountLoaders).account.load(address),
        readPage(namesList(pin, address).list, { first: pageDefault, reverse: false, count: false }),
        pin.loaders(createAttributeLoaders).accountData.load(address),
      ]);
      return {
        item: {
          address,
          kind: stored?.kind ?? null,
          moduleName: stored?.moduleName ?? null,
          denom: stored?.markerDenom ?? null,
          accountNumber: stored?.accountNumber?.toString() ?? null,
          sequence: stored?.sequence?.toString() ?? null,
          names: names.items.map(({ name }) => name),
          hasMoreNames: names.hasNext,
          accountData,
        },
      };
    },
  });
}
