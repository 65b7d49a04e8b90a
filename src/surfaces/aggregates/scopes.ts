import { denomOfScope } from '../../modules/metadata/address.ts';
import { createMetadataLoaders } from '../../modules/metadata/query.ts';
import { priceDenom, scopeInPath } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { scopeDetails } from './schemas.ts';
import { worthOf } from './views.ts';

/**
 * The details of a scope. Upstream reads: the scope, its specification, its net asset values and the metadata of the price
 * denom.
 */
export function scopesRoute(): Route {
  return createRoute({
    path: '/v1/scopes/{scopeId}',
    operationId: 'getScope',
    services: ['provenance.metadata.v1.Query'],
    summary: 'Details of a scope',
    description: 'Returns a scope: its specification, its owners, its value owner, its price and its value.',
    parameters: { scopeId: scopeInPath, priceDenom },
    name: 'Scope',
    fields: { item: scopeDetails },
    present: { field: 'scopeId', bound: 'an existing scope' },
    points: () => 39,
    async answer(pin, { scopeId, priceDenom: inDenom }) {
      const metadata = pin.loaders(createMetadataLoaders);
      const scope = await metadata.scope.load(scopeId);
      if (scope === null) return null;
      const { id, uuid, specificationId, owners, dataAccess, valueOwner, requirePartyRollup } = scope;
      const denom = denomOfScope(id);
      const [specification, worth] = await Promise.all([
        specificationId === null ? null : metadata.specification.load(specificationId),
        worthOf(pin, { denom, amount: '1' }, inDenom),
      ]);
      return {
        item: {
          id,
          uuid,
          denom,
          specification: specification && {
            id: specification.id,
            name: specification.name,
            description: specification.description,
            websiteUrl: specification.websiteUrl,
            iconUrl: specification.iconUrl,
          },
          owners,
          dataAccess,
          valueOwner,
          requirePartyRollup,
          ...worth,
        },
      };
    },
  });
}
