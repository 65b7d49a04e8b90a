import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import { stringify } from '../../../../../src/chain/wire/goText.ts';
import type { JsonObject, JsonValue } from '../../../../../src/chain/wire/json.ts';
import { base64, encodeConsensusParams, encodePublicKey, encodeValidator, hex } from '../ledger/encode.ts';
import { formatTime } from '../ledger/time.ts';
import type { CommittedBlock } from '../ledger/types.ts';
import { identify } from '../state/nodeReader.ts';
import { blockAt, type NodeView } from '../state/view.ts';
import type { RouteTable } from './route.ts';

/** 16 MiB, the size of a chunk of the genesis document. */
const chunkBytes = 16 * 1024 * 1024;

function genesisDocument({ ledger, chainId, appState }: NodeView): JsonObject {
  return {
    genesis_time: formatTime(ledger.genesisTime),
    chain_id: chainId,
    initial_height: '1',
    consensus_params: encodeConsensusParams(ledger.params),
    app_hash: '',
    app_state: appState,
  };
}

function genesisChunks(view: NodeView): Buffer[] {
  const bytes = Buffer.from(stringify(genesisDocument(view)));
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) chunks.push(bytes.subarray(start, start + chunkBytes));
  return chunks;
}

function nodeInfo(view: NodeView): JsonObject {
  const { id, network, moniker, version, listenAddress, rpcAddress, channels, protocols, indexing } = identify(view);
  return {
    protocol_version: { p2p: String(protocols.p2p), block: String(protocols.block), app: String(protocols.app) },
    id,
    listen_addr: listenAddress,
    network,
    version,
    channels: hex(channels),
    moniker,
    other: { tx_index: indexing ? 'on' : 'off', rpc_address: rpcAddress },
  };
}

function syncInfo(view: NodeView): JsonObject {
  const members = (prefix: 'latest' | 'earliest', { block: { header }, blockId }: CommittedBlock): JsonObject => ({
    [`${prefix}_block_hash`]: hex(blockId.hash),
    [`${prefix}_app_hash`]: hex(header.appHash),
    [`${prefix}_block_height`]: String(header.height),
    [`${prefix}_block_time`]: formatTime(header.time),
  });
  return {
    ...members('latest', blockAt(view, undefined)),
    ...members('earliest', blockAt(view, view.base)),
    catching_up: view.catchingUp,
  };
}

function noVotes(power: string): JsonObject {
  const none = `BA{1:_} 0/${power} = 0.00`;
  return { round: 0, prevotes: ['nil-Vote'], prevotes_bit_array: none, precommits: ['nil-Vote'], precommits_bit_array: none };
}

/** Returns the state of a round that has just begun, as recorded. A chain with one validator is in this state almost always. */
function roundState(view: NodeView): { brief: JsonObject; full: JsonObject } {
  const { blockId, seenCommit } = blockAt(view, undefined);
  const { validator } = view.ledger.signer;
  const [height, power] = [String(view.height + 1n), String(validator.power)];
  const committed = seenCommit.signatures[0]?.timestamp ?? 0n;
  const start = formatTime(committed);
  const proposer = { address: hex(validator.address), index: 0 };
  const set: JsonObject = { validators: [encodeValidator(validator)], proposer: encodeValidator(validator) };
  const votes: JsonValue[] = [noVotes(power)];
  const short = (bytes: Uint8Array) => hex(bytes.subarray(0, 6));
  const signature = seenCommit.signatures[0]?.signature ?? new Uint8Array();
  const vote = `Vote{0:${short(validator.address)} ${view.height}/00/SIGNED_MSG_TYPE_PRECOMMIT(Precommit) ${short(blockId.hash)} ${short(signature)} 000000000000 @ ${start}}`;
  return {
    brief: {
      'height/round/step': `${height}/0/1`,
      start_time: start,
      proposal_block_hash: '',
      locked_block_hash: '',
      valid_block_hash: '',
      height_vote_set: votes,
      proposer,
    },
    full: {
      height,
      round: 0,
      step: 1,
      start_time: start,
      commit_time: start,
      validators: set,
      proposal: null,
      proposal_block: null,
      proposal_block_parts: null,
      locked_round: -1,
      locked_block: null,
      locked_block_parts: null,
      valid_round: -1,
      valid_block: null,
      valid_block_parts: null,
      votes,
      commit_round: -1,
      last_commit: { votes: [vote], votes_bit_array: `BA{1:x} ${power}/${power} = 1.00`, peer_maj_23s: {} },
      last_validators: set,
      triggered_timeout_precommit: false,
    },
  };
}

/** The routes of the node itself. */
export const infoRoutes: RouteTable = {
  health: () => ({}),
  status(view) {
    const { address, publicKey, power } = view.ledger.signer.validator;
    return {
      node_info: nodeInfo(view),
      sync_info: syncInfo(view),
      validator_info: { address: hex(address), pub_key: encodePublicKey(publicKey), voting_power: String(power) },
    };
  },
  // The devnet's nodes run in one process and are not peers of a network.
  net_info: () => ({ listening: true, listeners: ['Listener(@)'], n_peers: '0', peers: [] }),
  genesis(view) {
    if (genesisChunks(view).length > 1) {
      throw internalError('genesis response is large, please use the genesis_chunked API instead');
    }
    return { genesis: genesisDocument(view) };
  },
  genesis_chunked(view, args) {
    const chunks = genesisChunks(view);
    const number = args.integer('chunk');
    const chunk = chunks[Number(number)];
    // The number in the node's error is one too low (rpc.json, `genesis_chunked 7`).
    if (chunk === undefined) throw internalError(`there are ${chunks.length - 1} chunks, ${number} is invalid`);
    return { chunk: String(number), total: String(chunks.length), data: base64(chunk) };
  },
  consensus_state: (view) => ({ round_state: roundState(view).brief }),
  dump_consensus_state: (view) => ({ round_state: roundState(view).full, peers: [] }),
};
