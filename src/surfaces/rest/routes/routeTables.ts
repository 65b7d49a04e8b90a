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

/** The routes of the connected chain. */
export interface RouteTables {
  /**
   * Returns the route table, which is created once for each set of descriptors. Rejects with a NODE_… error if they cannot be
   * read.
   */
  table(options?: { readonly signal: AbortSignal }): Promise<RouteTable>;
  /** The table that `table` would return, if its descriptors are loaded and it is created. undefined if not. */
  known(): RouteTable | undefined;
  /** Whether paths with this first segment belong to REST. Common segments are known before the descriptors are read. */
  isRoot(segment: string): boolean;
}

/** First path segments of the routes of the recorded chain. */
const defaultRoots: readonly string[] = ['cosmos', 'cosmwasm', 'ibc', 'provenance'];

/** Returns the services that are compiled into this server, for chains whose nodes provide no descriptors. */
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

/** Creates the route tables of a chain. The descriptors are read on first use. */
export function createRouteTables(client: Pick<Client, 'descriptors'>): RouteTables {
  let current:
    | { readonly pool: DescriptorPool | undefined; readonly table: Promise<RouteTable>; ready: RouteTable | undefined }
    | undefined;
  let roots: ReadonlySet<string> = new Set(defaultRoots);

  function tableOf(pool: DescriptorPool | undefined): Promise<RouteTable> {
    if (current !== undefined && current.pool === pool) return current.table;
    const table = createRouteTable(pool ?? compiledServices());
    const created: NonNullable<typeof current> = { pool, table, ready: undefined };
    current = created;
    table.then(
      (ready) => {
        created.ready = ready;
        roots = new Set([...defaultRoots, ...ready.roots]);
      },
      () => {
        if (current?.table === table) current = undefined;
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
    known() {
      const pool = client.descriptors.current();
      return pool !== undefined && current?.pool === pool ? current.ready : undefined;
    },
    isRoot: (segment) => roots.has(segment),
  };
}
