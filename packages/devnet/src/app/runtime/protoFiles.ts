import { createRegistry, type DescFile, type Registry } from '@bufbuild/protobuf';
import { file_cosmos_auth_v1beta1_auth } from '../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { file_cosmos_auth_v1beta1_query } from '../../../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { file_cosmos_authz_v1beta1_authz } from '../../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { file_cosmos_authz_v1beta1_event } from '../../../../../src/proto/cosmos/authz/v1beta1/event_pb.js';
import { file_cosmos_authz_v1beta1_query } from '../../../../../src/proto/cosmos/authz/v1beta1/query_pb.js';
import { file_cosmos_authz_v1beta1_tx } from '../../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { file_cosmos_bank_v1beta1_query } from '../../../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { file_cosmos_bank_v1beta1_tx } from '../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_base_node_v1beta1_query } from '../../../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { file_cosmos_base_tendermint_v1beta1_query } from '../../../../../src/proto/cosmos/base/tendermint/v1beta1/query_pb.js';
import { file_cosmos_crypto_ed25519_keys } from '../../../../../src/proto/cosmos/crypto/ed25519/keys_pb.js';
import { file_cosmos_crypto_multisig_keys } from '../../../../../src/proto/cosmos/crypto/multisig/keys_pb.js';
import { file_cosmos_crypto_secp256k1_keys } from '../../../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { file_cosmos_distribution_v1beta1_query } from '../../../../../src/proto/cosmos/distribution/v1beta1/query_pb.js';
import { file_cosmos_distribution_v1beta1_tx } from '../../../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { file_cosmos_feegrant_v1beta1_feegrant } from '../../../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { file_cosmos_feegrant_v1beta1_query } from '../../../../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import { file_cosmos_feegrant_v1beta1_tx } from '../../../../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import { file_cosmos_gov_v1_query } from '../../../../../src/proto/cosmos/gov/v1/query_pb.js';
import { file_cosmos_gov_v1_tx } from '../../../../../src/proto/cosmos/gov/v1/tx_pb.js';
import { file_cosmos_group_v1_events } from '../../../../../src/proto/cosmos/group/v1/events_pb.js';
import { file_cosmos_group_v1_query } from '../../../../../src/proto/cosmos/group/v1/query_pb.js';
import { file_cosmos_group_v1_tx } from '../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_group_v1_types } from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { file_cosmos_ics23_v1_proofs } from '../../../../../src/proto/cosmos/ics23/v1/proofs_pb.js';
import { file_cosmos_mint_v1beta1_query } from '../../../../../src/proto/cosmos/mint/v1beta1/query_pb.js';
import { file_cosmos_reflection_v1_reflection } from '../../../../../src/proto/cosmos/reflection/v1/reflection_pb.js';
import { file_cosmos_slashing_v1beta1_query } from '../../../../../src/proto/cosmos/slashing/v1beta1/query_pb.js';
import { file_cosmos_staking_v1beta1_query } from '../../../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import { file_cosmos_staking_v1beta1_tx } from '../../../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { file_cosmos_store_internal_kv_v1beta1_kv } from '../../../../../src/proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import { file_cosmos_tx_v1beta1_service } from '../../../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { file_cosmos_tx_v1beta1_tx } from '../../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { file_cosmos_vesting_v1beta1_vesting } from '../../../../../src/proto/cosmos/vesting/v1beta1/vesting_pb.js';
import { file_cosmwasm_wasm_v1_query } from '../../../../../src/proto/cosmwasm/wasm/v1/query_pb.js';
import { file_cosmwasm_wasm_v1_tx } from '../../../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { file_ibc_applications_transfer_v1_query } from '../../../../../src/proto/ibc/applications/transfer/v1/query_pb.js';
import { file_provenance_attribute_v1_query } from '../../../../../src/proto/provenance/attribute/v1/query_pb.js';
import { file_provenance_attribute_v1_tx } from '../../../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { file_provenance_exchange_v1_events } from '../../../../../src/proto/provenance/exchange/v1/events_pb.js';
import { file_provenance_exchange_v1_query } from '../../../../../src/proto/provenance/exchange/v1/query_pb.js';
import { file_provenance_exchange_v1_tx } from '../../../../../src/proto/provenance/exchange/v1/tx_pb.js';
import { file_provenance_flatfees_v1_query } from '../../../../../src/proto/provenance/flatfees/v1/query_pb.js';
import { file_provenance_hold_v1_events } from '../../../../../src/proto/provenance/hold/v1/events_pb.js';
import { file_provenance_hold_v1_query } from '../../../../../src/proto/provenance/hold/v1/query_pb.js';
import { file_provenance_marker_v1_query } from '../../../../../src/proto/provenance/marker/v1/query_pb.js';
import { file_provenance_marker_v1_tx } from '../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { file_provenance_metadata_v1_events } from '../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import { file_provenance_metadata_v1_query } from '../../../../../src/proto/provenance/metadata/v1/query_pb.js';
import { file_provenance_metadata_v1_tx } from '../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { file_provenance_name_v1_query } from '../../../../../src/proto/provenance/name/v1/query_pb.js';
import { file_provenance_name_v1_tx } from '../../../../../src/proto/provenance/name/v1/tx_pb.js';

/** The proto files with all services, messages and stored types of the devnet. Their imports are added. */
export const protoFiles: readonly DescFile[] = [
  file_cosmos_auth_v1beta1_auth,
  file_cosmos_auth_v1beta1_query,
  file_cosmos_authz_v1beta1_authz,
  file_cosmos_authz_v1beta1_event,
  file_cosmos_authz_v1beta1_query,
  file_cosmos_authz_v1beta1_tx,
  file_cosmos_base_node_v1beta1_query,
  file_cosmos_base_tendermint_v1beta1_query,
  file_cosmos_bank_v1beta1_query,
  file_cosmos_bank_v1beta1_tx,
  file_cosmos_crypto_ed25519_keys,
  file_cosmos_crypto_multisig_keys,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_feegrant_v1beta1_feegrant,
  file_cosmos_feegrant_v1beta1_query,
  file_cosmos_feegrant_v1beta1_tx,
  file_cosmos_group_v1_events,
  file_cosmos_group_v1_query,
  file_cosmos_group_v1_tx,
  file_cosmos_ics23_v1_proofs,
  file_cosmos_reflection_v1_reflection,
  file_cosmos_distribution_v1beta1_query,
  file_cosmos_distribution_v1beta1_tx,
  file_cosmos_gov_v1_query,
  file_cosmos_gov_v1_tx,
  file_cosmos_mint_v1beta1_query,
  file_cosmos_slashing_v1beta1_query,
  file_cosmos_staking_v1beta1_tx,
  file_cosmos_staking_v1beta1_query,
  file_cosmos_store_internal_kv_v1beta1_kv,
  file_cosmos_tx_v1beta1_service,
  file_cosmos_tx_v1beta1_tx,
  file_cosmos_vesting_v1beta1_vesting,
  file_cosmwasm_wasm_v1_query,
  file_cosmwasm_wasm_v1_tx,
  file_ibc_applications_transfer_v1_query,
  file_provenance_attribute_v1_query,
  file_provenance_attribute_v1_tx,
  file_provenance_exchange_v1_events,
  file_provenance_exchange_v1_query,
  file_provenance_exchange_v1_tx,
  file_provenance_flatfees_v1_query,
  file_provenance_hold_v1_events,
  file_provenance_hold_v1_query,
  file_provenance_marker_v1_query,
  file_provenance_marker_v1_tx,
  file_provenance_metadata_v1_events,
  file_provenance_metadata_v1_query,
  file_provenance_metadata_v1_tx,
  file_provenance_name_v1_query,
  file_provenance_name_v1_tx,
];

/** The types of all messages of the devnet. */
export const messageRegistry: Registry = createRegistry(...protoFiles, file_cosmos_group_v1_types);
