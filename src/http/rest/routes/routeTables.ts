import { createRegistry } from '@bufbuild/protobuf';
import { isChainError } from '../../../chain/base/errors.ts';
import type { Client } from '../../../chain/client.ts';
import type { DescriptorPool } from '../../../chain/descriptors/descriptorPool.ts';
import { file_cosmos_auth_v1beta1_query } from '../../../proto/cosmos/auth/v1beta1/query_pb.js';
import { file_cosmos_bank_v1beta1_query } from '../../../proto/cosmos/bank/v1beta1/query_pb.js';
import { file_cosmos_bank_v1beta1_tx } from '../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_crypto_secp256k1_keys } from '../../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { file_cosmos_feegrant_v1beta1_query } from '../../../proto/cosmos/feegrant/v1beta1/query_pb.js';
import { file_cosmos_group_v1_query } from '../../../proto/cosmos/group/v1/query_pb.js';
import { file_cosmos_group_v1_tx } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_staking_v1beta1_query } from '../../../proto/cosmos/staking/v1beta1/query_pb.js';
import { file_cosmos_tx_v1beta1_service } from '../../../proto/cosmos/tx/v1beta1/service_pb.js';
import { file_provenance_attribute_v1_query } from '../../../proto/provenance/attribute/v1/query_pb.js';
import { file_provenance_flatfees_v1_query } from '../../../proto/provenance/flatfees/v1/query_pb.js';
import { file_provenance_hold_v1_query } from '../../../proto/provenance/hold/v1/query_pb.js';
import { file_provenance_marker_v1_query } from '../../../proto/provenance/marker/v1/query_pb.js';
import { file_provenance_metadata_v1_query } from '../../../proto/provenance/metadata/v1/query_pb.js';
import { file_provenance_name_v1_query } from '../../../proto/provenance/name/v1/query_pb.js';
import { createRouteTable, type RouteTable, type ServiceSource } from './routeTable.ts';

/** The routes of the chain as it is now. */
export interface RouteTables {
  /** Made once for each description of the chain. Fails with NODE_… while it cannot be had. */
  table(options?: { readonly signal: AbortSignal }): Promise<RouteTable>;
  /** Whether a path of this first segment is REST's. The usual ones are known before the chain is. */
  isRoot(segment: string): boolean;
}

/** First segments of the routes of chains like these: those of the recorded one. */
const defaultRoots: readonly string[] = ['cosmos', 'cosmwasm', 'ibc', 'provenance'];

/** The services that this server was compiled with, for chains whose nodes do not describe it. */
function compiledServices(): ServiceSource {
  const registry = createRegistry(
    file_cosmos_auth_v1beta1_query,
    file_cosmos_bank_v1beta1_query,
    file_cosmos_bank_v1beta1_tx,
    file_cosmos_crypto_secp256k1_keys,
    file_cosmos_feegrant_v1beta1_query,
    file_cosmos_group_v1_query,
    file_cosmos_group_v1_tx,
    file_cosmos_staking_v1beta1_query,
    file_cosmos_tx_v1beta1_service,
    file_provenance_attribute_v1_query,
    file_provenance_flatfees_v1_query,
    file_provenance_hold_v1_query,
    file_provenance_marker_v1_query,
    file_provenance_metadata_v1_query,
    file_provenance_name_v1_query,
  );
  const services = [...registry].flatMap((type) => (type.kind === 'service' ? [type.typeName] : []));
  return { services: services.toSorted(), service: (name) => registry.getService(name), registry };
}

/** Makes the route tables of a chain. Nothing is read until one is asked for. */
export function createRouteTables(client: Pick<Client, 'descriptors'>): RouteTables {
  let made: { readonly pool: DescriptorPool | undefined; readonly table: Promise<RouteTable> } | undefined;
  let roots: ReadonlySet<string> = new Set(defaultRoots);

  function tableOf(pool: DescriptorPool | undefined): Promise<RouteTable> {
    if (made !== undefined && made.pool === pool) return made.table;
    const table = createRouteTable(pool ?? compiledServices());
    made = { pool, table };
    table.then(
      (ready) => {
        roots = new Set([...defaultRoots, ...ready.roots]);
      },
      () => {
        if (made?.table === table) made = undefined;
      },
    );
    return table;
  }

  return {
    async table(options) {
      let pool: DescriptorPool | undefined;
      try {
        pool = await client.descriptors.pool(options);
      } catch (error) {
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
      }
      return tableOf(pool);
    },
    isRoot: (segment) => roots.has(segment),
  };
}
