import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';

/** A GraphQL operation and its expected answer, built from one recorded call without Stele's code. */
export interface NodeOperation {
  readonly document: string;
  readonly variables: JsonObject;
  /** The field `answer`, from the recorded result. */
  readonly expected: (result: JsonObject) => JsonValue;
}

const blockId = 'hash parts { total hash }';
const header = `version { block app } chainId height time lastBlockId { ${blockId} } lastCommitHash dataHash validatorsHash
  nextValidatorsHash consensusHash appHash lastResultsHash evidenceHash proposerAddress`;
const commit = `height round blockId { ${blockId} } signatures { blockIdFlag validatorAddress timestamp signature }`;
const event = 'type attributes { key value index }';
const exec = `code codespace log info data gasWanted gasUsed events { ${event} }`;
const params = `block { maxBytes maxGas } evidence { maxAgeNumBlocks maxAgeDuration maxBytes } validator { pubKeyTypes }
  version { app } abci { voteExtensionsEnableHeight }`;
const block = `blockId { ${blockId} } header { ${header} } transactions(first: 100) { nodes { tx } } evidence { type value }
  lastCommit { ${commit} }`;
const tx = `hash height index tx ${exec}`;
const proof = 'proof { rootHash data proof { total index leafHash aunts } }';
const mempool = 'nTxs total totalBytes txs { tx }';
const status = `nodeInfo { protocolVersion { p2p block app } id listenAddr network version channels moniker other { txIndex rpcAddress } }
  syncInfo { latestBlockHash latestAppHash latestBlockHeight latestBlockTime earliestBlockHash earliestAppHash earliestBlockHeight
  earliestBlockTime catchingUp } validatorInfo { address publicKey { type value } votingPower }`;

const flags = ['BLOCK_ID_FLAG_UNKNOWN', 'BLOCK_ID_FLAG_ABSENT', 'BLOCK_ID_FLAG_COMMIT', 'BLOCK_ID_FLAG_NIL'];
const names: Record<string, string> = { pub_key: 'publicKey', n_txs: 'nTxs', n_peers: 'nPeers' };
const camel = (name: string): string => names[name] ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const hex = (base64: JsonValue | undefined): string | null =>
  typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('hex').toUpperCase() : null;
const o = (value: JsonValue | undefined): JsonObject => value as JsonObject;
const list = (value: JsonValue | undefined): JsonObject[] => (value ?? []) as JsonObject[];

/** Returns the value with the field names of the GraphQL schema. */
function renamed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [camel(key), renamed(item!)]));
}

const headerOf = (of: JsonObject): JsonValue => {
  const version = o(of.version);
  return { ...o(renamed(of)), version: { block: version.block, app: version.app ?? '0' } };
};
const commitOf = (of: JsonObject): JsonValue => ({
  ...o(renamed(of)),
  signatures: list(of.signatures).map(({ block_id_flag: flag, ...signature }) => ({
    ...o(renamed(signature)),
    blockIdFlag: flags[Number(flag)]!,
  })),
});
const execOf = (of: JsonObject): JsonObject => ({ ...o(renamed(of)), data: of.data === '' ? null : of.data });
const seconds = (nanoseconds: JsonValue | undefined): string => `${BigInt(String(nanoseconds)) / 1_000_000_000n}s`;
const paramsOf = (of: JsonObject): JsonValue => {
  const evidence = o(of.evidence);
  return {
    ...o(renamed(of)),
    evidence: { ...o(renamed(evidence)), maxAgeDuration: seconds(evidence.max_age_duration) },
    version: { app: o(of.version).app ?? '0' },
    abci: { voteExtensionsEnableHeight: o(of.abci).vote_extensions_enable_height ?? '0' },
  };
};
const blockOf = (result: JsonObject): JsonValue => {
  const of = o(result.block);
  if (result.block === null) return null;
  const txs = list(o(of.data).txs);
  return {
    blockId: renamed(o(result.block_id)),
    header: headerOf(o(of.header)),
    transactions: { nodes: txs.map((bytes) => ({ tx: bytes as unknown as string })) },
    evidence: list(o(of.evidence).evidence),
    lastCommit: commitOf(o(of.last_commit)),
  };
};
const txOf = ({ tx_result: result, proof: proven, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  ...execOf(o(result)),
  ...(proven === undefined ? {} : { proof: renamed(proven) }),
});
const mempoolOf = (of: JsonObject): JsonValue => ({
  ...o(renamed(of)),
  txs: of.txs === null ? null : list(of.txs).map((bytes) => ({ tx: bytes as unknown as string })),
});

const abci = (result: JsonObject): JsonValue => {
  const { key, value, proofOps, code, ...rest } = o(result.response);
  return {
    ...rest,
    code: String(code),
    key: hex(key),
    value: hex(value),
    proofOps: proofOps == null ? null : o(proofOps).ops!,
  };
};

const operation = (
  text: string,
  expected: (result: JsonObject) => JsonValue,
  variables: JsonObject = {},
  types: Record<string, string> = {},
): NodeOperation => {
  const declared = Object.entries(types).map(([name, type]) => `$${name}: ${type}`);
  return {
    document: `query${declared.length === 0 ? '' : `(${declared.join(', ')})`} { answer: ${text} }`,
    variables,
    expected,
  };
};

const atHeight = (field: string, selection: string, expected: (result: JsonObject) => JsonValue, { height }: JsonObject) =>
  operation(`${field}(height: $height) { ${selection} }`, expected, { height: height ?? null }, { height: 'Int64' });

function search(field: string, selection: string, member: string, newest: boolean, of: (item: JsonObject) => JsonValue) {
  return ({ query, per_page: size, order_by: order }: JsonObject): NodeOperation =>
    operation(
      `${field}(query: $query, first: $first, reverse: $reverse) { totalCount nodes { ${selection} } }`,
      (result) => ({ totalCount: result.total_count!, nodes: list(result[member]).map(of) }),
      { query: query ?? null, first: Number(size ?? 30), reverse: order === undefined ? false : (order === 'desc') !== newest },
      { query: 'String', first: 'Int', reverse: 'Boolean' },
    );
}

/** The GraphQL operation for each route of the node, by the recorded arguments. */
export const nodeOperations: Readonly<Record<string, (args: JsonObject) => NodeOperation>> = {
  health: () => operation('health', () => true),
  status: () => operation(`status { ${status} }`, renamed),
  net_info: () => operation('netInfo { listening listeners nPeers peers { remoteIp } }', renamed),
  block: (args) => atHeight('block', block, blockOf, args),
  block_by_hash: ({ hash }) =>
    operation(`blockByHash(hash: $hash) { ${block} }`, blockOf, { hash: hex(hash) }, { hash: 'Hex!' }),
  block_results: (args) =>
    atHeight(
      'blockResults',
      `height txsResults { ${exec} } finalizeBlockEvents { ${event} } validatorUpdates { power }
       consensusParamUpdates { ${params} } appHash`,
      (result) => ({
        height: result.height!,
        txsResults: list(result.txs_results).map(execOf),
        finalizeBlockEvents: list(result.finalize_block_events),
        validatorUpdates: list(result.validator_updates),
        consensusParamUpdates: result.consensus_param_updates == null ? null : paramsOf(o(result.consensus_param_updates)),
        appHash: hex(result.app_hash),
      }),
      args,
    ),
  commit: (args) =>
    atHeight(
      'commit',
      `header { ${header} } commit { ${commit} } canonical`,
      ({ signed_header: signed, canonical }) => ({
        header: headerOf(o(o(signed).header)),
        commit: commitOf(o(o(signed).commit)),
        canonical: canonical!,
      }),
      args,
    ),
  header: (args) => atHeight('header', header, (result) => headerOf(o(result.header)), args),
  header_by_hash: ({ hash }) =>
    operation(
      `headerByHash(hash: $hash) { ${header} }`,
      (result) => (result.header === null ? null : headerOf(o(result.header))),
      { hash: hash! },
      { hash: 'Hex!' },
    ),
  validators: ({ height, per_page: size }) =>
    operation(
      'validators(height: $height, first: $first) { totalCount nodes { address publicKey { type value } votingPower proposerPriority } }',
      (result) => ({ totalCount: result.total!, nodes: renamed(result.validators!) }),
      { height: height ?? null, first: Math.min(100, Number(size ?? 30)) },
      { height: 'Int64', first: 'Int' },
    ),
  consensus_params: (args) => atHeight('consensusParams', params, (result) => paramsOf(o(result.consensus_params)), args),
  blockchain: ({ minHeight, maxHeight }) =>
    operation(
      `blocks(minHeight: $min, maxHeight: $max, first: 20) { nodes { blockId { ${blockId} } blockSize header { ${header} } numTxs } }`,
      (result) => ({
        nodes: list(result.block_metas).map((meta) => ({ ...o(renamed(meta)), header: headerOf(o(meta.header)) })),
      }),
      { min: minHeight === '0' ? null : minHeight!, max: maxHeight === '0' ? null : maxHeight! },
      { min: 'Int64', max: 'Int64' },
    ),
  genesis_chunked: ({ chunk }) =>
    operation('genesis(chunk: $chunk) { chunk total data }', (result) => result, { chunk: chunk! }, { chunk: 'Int64' }),
  unconfirmed_txs: ({ limit }) =>
    operation(
      `unconfirmedTransactions(first: $first) { ${mempool} }`,
      mempoolOf,
      { first: Number(limit ?? 30) },
      { first: 'Int' },
    ),
  num_unconfirmed_txs: () => operation(`numUnconfirmedTransactions { ${mempool} }`, mempoolOf),
  consensus_state: () => operation('consensusState', (result) => result.round_state!),
  dump_consensus_state: () => operation('dumpConsensusState', (result) => result),
  abci_info: () =>
    operation('abciInfo { data version appVersion lastBlockHeight lastBlockAppHash }', ({ response }) => {
      const { last_block_app_hash: hash, ...rest } = o(response);
      return { appVersion: '0', ...o(renamed(rest)), lastBlockAppHash: hex(hash) };
    }),
  abci_query: ({ path, data, height, prove }) =>
    operation(
      `abciQuery(path: $path, data: $data, height: $height, prove: $prove) {
        code log info index key value proofOps { type key data } height codespace }`,
      abci,
      { path: path!, data: data!, height: height!, prove: prove! },
      { path: 'String!', data: 'String!', height: 'Int64', prove: 'Boolean' },
    ),
  tx: ({ hash, prove }) =>
    operation(`transaction(hash: $hash) { ${tx} ${prove === true ? proof : ''} }`, txOf, { hash: hex(hash) }, { hash: 'Hex!' }),
  tx_search: (args) => search('transactions', args.prove === true ? `${tx} ${proof}` : tx, 'txs', false, txOf)(args),
  block_search: search('blockSearch', block, 'blocks', true, (item) => blockOf(item)),
  check_tx: ({ tx: bytes }) => operation(`checkTx(tx: $tx) { ${exec} }`, execOf, { tx: bytes! }, { tx: 'String!' }),
};
