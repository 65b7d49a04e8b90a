import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import {
  anyObject,
  base64,
  bigInteger,
  described,
  flag,
  hex,
  list,
  none,
  nullable,
  object,
  ref,
  type Schema,
  type Schemas,
  smallInteger,
  text,
  time,
} from './document.ts';

const txResult = object({
  code: described(smallInteger, 'Code of the application: 0 is success. A nonzero code is a result, not an error.'),
  data: nullable(base64),
  log: text,
  info: text,
  gas_wanted: bigInteger,
  gas_used: bigInteger,
  events: nullable(list(ref('Event'))),
  codespace: text,
});

/** A node omits members that are zero. */
const blockParams = object({}, { max_bytes: bigInteger, max_gas: bigInteger });

const consensusParams = object(
  {},
  {
    block: blockParams,
    evidence: object({}, { max_age_num_blocks: bigInteger, max_age_duration: bigInteger, max_bytes: bigInteger }),
    validator: object({}, { pub_key_types: list(text) }),
    version: object({}, { app: bigInteger }),
    abci: object({}, { vote_extensions_enable_height: bigInteger }),
    authority: object(
      {},
      { authority: text },
      'The account that may change parameters besides governance. From CometBFT 0.39 on.',
    ),
  },
);

const block = object({
  header: ref('Header'),
  data: object({ txs: list(base64) }),
  evidence: object({ evidence: list(ref('Typed')) }),
  last_commit: nullable(
    object({ height: bigInteger, round: smallInteger, block_id: ref('BlockId'), signatures: list(ref('CommitSignature')) }),
  ),
});

const tx = object(
  {
    hash: hex,
    height: bigInteger,
    index: smallInteger,
    tx_result: ref('TxResult'),
    tx: base64,
  },
  {
    proof: object(
      {
        root_hash: hex,
        data: base64,
        proof: object({ total: bigInteger, index: bigInteger, leaf_hash: base64 }, { aunts: list(base64) }),
      },
      {},
      'Proof that the block includes the transaction. Present if `prove` was true.',
    ),
  },
);

const mempool = { n_txs: bigInteger, total: bigInteger, total_bytes: bigInteger };

/** Schemas that results share, by name (docs/chain.md, "Results of the node RPC"). */
export const nodeParts: Schemas = {
  BlockId: object({ hash: hex, parts: object({ total: smallInteger, hash: hex }) }),
  Header: object({
    version: object({ block: bigInteger }, { app: bigInteger }),
    chain_id: text,
    height: bigInteger,
    time,
    last_block_id: ref('BlockId'),
    last_commit_hash: hex,
    data_hash: hex,
    validators_hash: hex,
    next_validators_hash: hex,
    consensus_hash: hex,
    app_hash: hex,
    last_results_hash: hex,
    evidence_hash: hex,
    proposer_address: hex,
  }),
  CommitSignature: object({
    block_id_flag: described(smallInteger, '1: no vote, 2: vote for the block, 3: vote for no block.'),
    validator_address: hex,
    timestamp: time,
    signature: nullable(base64),
  }),
  Block: block,
  Typed: object({ type: text, value: {} }, {}, 'A value with the name of its type.'),
  Event: object({ type: text, attributes: list(object({ key: text, value: text, index: flag })) }),
  TxResult: txResult,
  Validator: object({
    address: hex,
    pub_key: ref('Typed'),
    voting_power: bigInteger,
    proposer_priority: bigInteger,
  }),
  Tx: tx,
  NodeInfo: object({
    protocol_version: object({ p2p: bigInteger, block: bigInteger, app: bigInteger }),
    id: text,
    listen_addr: text,
    network: text,
    version: text,
    channels: hex,
    moniker: text,
    other: object({ tx_index: text, rpc_address: text }),
  }),
};

const blockOf = object({ block_id: ref('BlockId'), block: ref('Block') });
const broadcast = object({
  code: described(smallInteger, 'Code of CheckTx: 0 is success. A nonzero code is a result, not an error.'),
  data: hex,
  log: text,
  codespace: text,
  hash: described(hex, 'Hash of the transaction.'),
});

/** Members of the result of `broadcast_tx_commit`. */
export const broadcastCommitMembers: Schemas = {
  check_tx: ref('TxResult'),
  tx_result: ref('TxResult'),
  hash: described(hex, 'Hash of the transaction.'),
  height: described(bigInteger, 'Height of the block that includes the transaction. 0 if CheckTx rejected it.'),
};

/** The results in the node's dialect. The documented dialect differs only in {@link NodeDialect.results}. */
export const nodeResults: Readonly<Record<RpcMethodName, Schema>> = {
  health: object({}),
  status: object({
    node_info: ref('NodeInfo'),
    sync_info: object({
      latest_block_hash: hex,
      latest_app_hash: hex,
      latest_block_height: bigInteger,
      latest_block_time: time,
      earliest_block_hash: hex,
      earliest_app_hash: hex,
      earliest_block_height: bigInteger,
      earliest_block_time: time,
      catching_up: flag,
    }),
    validator_info: object({ address: hex, pub_key: ref('Typed'), voting_power: bigInteger }),
  }),
  net_info: object({
    listening: flag,
    listeners: list(text),
    n_peers: bigInteger,
    peers: list(object({ node_info: ref('NodeInfo'), is_outbound: flag, connection_status: anyObject, remote_ip: text })),
  }),
  blockchain: object({
    last_height: bigInteger,
    block_metas: list(object({ block_id: ref('BlockId'), block_size: bigInteger, header: ref('Header'), num_txs: bigInteger })),
  }),
  genesis: object({
    genesis: object(
      { genesis_time: time, chain_id: text, initial_height: bigInteger, app_hash: hex },
      { consensus_params: nullable(consensusParams), validators: list(anyObject), app_state: anyObject },
    ),
  }),
  genesis_chunked: object({ chunk: bigInteger, total: bigInteger, data: base64 }),
  block: blockOf,
  block_by_hash: object(
    { block_id: ref('BlockId'), block: { anyOf: [ref('Block'), none] } },
    {},
    '`block` is null if no block has this hash.',
  ),
  block_results: object({
    height: bigInteger,
    txs_results: nullable(list(ref('TxResult'))),
    finalize_block_events: nullable(list(ref('Event'))),
    validator_updates: nullable(list(object({ pub_key: object({ Sum: ref('Typed') }) }, { power: bigInteger }))),
    consensus_param_updates: nullable(consensusParams),
    app_hash: nullable(base64),
  }),
  commit: object({
    signed_header: object({
      header: ref('Header'),
      commit: object({
        height: bigInteger,
        round: smallInteger,
        block_id: ref('BlockId'),
        signatures: list(ref('CommitSignature')),
      }),
    }),
    canonical: described(flag, 'False for the newest block, whose commit can still gain signatures.'),
  }),
  header: object({ header: ref('Header') }),
  header_by_hash: object({ header: { anyOf: [ref('Header'), none] } }, {}, '`header` is null if no block has this hash.'),
  check_tx: ref('TxResult'),
  tx: ref('Tx'),
  tx_search: object({ txs: list(ref('Tx')), total_count: bigInteger }),
  block_search: object({ blocks: list(blockOf), total_count: bigInteger }),
  validators: object({
    block_height: bigInteger,
    validators: list(ref('Validator')),
    count: bigInteger,
    total: bigInteger,
  }),
  dump_consensus_state: object({ round_state: anyObject, peers: nullable(list(anyObject)) }),
  consensus_state: object({ round_state: anyObject }),
  consensus_params: object({ block_height: bigInteger, consensus_params: consensusParams }),
  unconfirmed_txs: object({ ...mempool, txs: nullable(list(base64)) }),
  num_unconfirmed_txs: object({ ...mempool, txs: nullable(list(base64)) }),
  broadcast_tx_commit: object(broadcastCommitMembers),
  broadcast_tx_sync: broadcast,
  broadcast_tx_async: described(broadcast, 'Only `hash` is meaningful, because the call waits for no response of CheckTx.'),
  abci_query: object({
    response: object({
      code: smallInteger,
      log: text,
      info: text,
      index: bigInteger,
      key: nullable(base64),
      value: nullable(base64),
      proofOps: nullable(object({ ops: list(object({ type: text, key: base64, data: base64 })) })),
      height: bigInteger,
      codespace: text,
    }),
  }),
  abci_info: object({
    response: object(
      {},
      {
        data: text,
        version: text,
        app_version: bigInteger,
        last_block_height: bigInteger,
        last_block_app_hash: base64,
      },
      'Members that are zero or empty are absent.',
    ),
  }),
  broadcast_evidence: object({ hash: text }),
};
