import { type FileRegistry, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { bech32 } from '@scure/base';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { QueryDenomMetadataRequestSchema } from '../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { type AbciResponse, type QueryRow, type RpcRow, readDescriptors, readRecording } from '../recordings/recordings.ts';
import { groupLists } from './groupLists.ts';
import { moduleLists } from './moduleLists.ts';
import type { ReplayList } from './replayList.ts';
import { createRestAnswers } from './restAnswers.ts';

/** The request of one `abci_query`. */
export interface StateQuestion {
  readonly path: string;
  readonly data: Uint8Array;
  /** The requested height; 0 is the newest. */
  readonly height: bigint;
  readonly prove: boolean;
}

/** The range of heights that the node has. */
export interface Kept {
  /** The newest height. */
  readonly head: bigint;
  /** The oldest height whose state is not pruned. */
  readonly earliestState: bigint;
}

/** The recorded responses of `abci_query`. */
export interface StateAnswers {
  /** Returns the recorded response; undefined if there is none. */
  answer(question: StateQuestion, kept: Kept): AbciResponse | undefined;
  /**
   * Decodes a request to protobuf JSON with the descriptors of the chain; undefined for a path that is not a query of a module.
   */
  describe(path: string, data: Uint8Array): JsonValue | undefined;
}

/** Path of the query that recorded descriptors.binpb. */
const DESCRIPTORS = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';
const DENOM_METADATA = '/cosmos.bank.v1beta1.Query/DenomMetadata';
const GROUP = '/cosmos.group.v1.Query/';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const unhex = (text: string): Uint8Array => Buffer.from(text, 'hex');
const isModuleQuery = (path: string): boolean => /^\/[\w]+(\.[\w]+)+\/\w+$/.test(path);

interface StateRow {
  readonly path: string;
  readonly data: string;
  /** The height of the response; undefined if the node refused before it resolved the height. */
  readonly height: string | undefined;
  readonly prove: boolean;
  readonly response: AbciResponse;
}

function fromQueries(row: QueryRow): StateRow {
  const height = row.height === '0' ? row.response.height : row.height;
  return { path: row.path, data: row.request, height, prove: row.prove, response: row.response };
}

function fromRpc(row: RpcRow): StateRow[] {
  const request = row.request as JsonObject | undefined;
  if (typeof request !== 'object' || request?.method !== 'abci_query') return [];
  const { path, data, height, prove } = request.params as { path: string; data: string; height: string; prove: boolean };
  const response = (row.response as { result?: { response?: AbciResponse } }).result?.response;
  if (response === undefined) return [];
  const served = height === '0' ? (response.height === '0' ? undefined : response.height) : height;
  return [{ path, data: data.toLowerCase(), height: served, prove, response }];
}

/** Key of a request. `prove` is part of it only for paths that have proofs: not for queries of modules. */
function keyOf(path: string, data: string, height: string, prove: boolean): string {
  return [path, data, height, prove && !isModuleQuery(path)].join(' ');
}

/**
 * Request fields that only add optional parts to the response. A response with these parts also serves a request without them.
 */
const EXTRAS = ['include_sessions', 'include_records', 'include_contract_specs', 'include_record_specs', 'exclude_id_info'];

/** Returns a request without its optional parts, in hex. */
function withoutExtras(registry: FileRegistry, path: string, data: string): string {
  if (!path.startsWith('/provenance.metadata.')) return data;
  const [, service = '', method] = path.split('/');
  const input = registry.getService(service)?.methods.find(({ name }) => name === method)?.input;
  if (input === undefined) return data;
  const request = reflect(input, fromBinary(input, unhex(data)));
  for (const field of input.fields) {
    if (EXTRAS.includes(field.name)) request.clear(field);
    // A UUID and an address of a scope are equivalent (recorded: 'Scope by uuid').
    const id = field.name === 'scope_id' ? String(request.get(field)) : '';
    if (/^[0-9a-f-]{36}$/.test(id)) {
      const address = Uint8Array.from([0, ...Buffer.from(id.replaceAll('-', ''), 'hex')]);
      request.set(field, bech32.encode('scope', bech32.toWords(address)));
    }
  }
  return hex(toBinary(input, request.message));
}

/** Reads the recorded responses of `abci_query` in queries.json, rpc.json, proofs.json and pruned.json. */
export function createStateAnswers(registry: FileRegistry): StateAnswers {
  const queries = readRecording('queries');
  const rows = [...queries.map(fromQueries), ...[...readRecording('rpc'), ...readRecording('proofs')].flatMap(fromRpc)];
  const named = (name: string): AbciResponse => {
    const row = queries.find((each) => each.name === name) ?? readRecording('pruned').find((each) => each.name === name);
    const response = row === undefined ? undefined : 'path' in row ? row.response : fromRpc(row)[0]?.response;
    if (response === undefined) throw new Error(`no recording named ${name}`);
    return response;
  };
  const noMetadata = named('DenomMetadata none');
  const future = named('Proposal 3 at 1000566');
  const negative = named('Proposal 3 at -1');
  const keyAndOffset = named('key and offset');
  const prunedState = named('pruned state by abci_query');
  const prunedKey = named('pruned store key without proof');
  const prunedProof = named('pruned store key with proof');

  const overRest = createRestAnswers(registry);
  const exact = new Map<string, AbciResponse>();
  // Whole lists by path, arguments and height, or the refusal.
  const wholes = new Map<string, AbciResponse>();
  for (const row of rows) {
    const list = listAt(row.path);
    if (list !== undefined) {
      const data = unhex(row.data);
      if (list.isWhole(data, Buffer.from(row.response.value ?? '', 'base64'))) {
        wholes.set(`${row.path} ${list.argumentsOf(data)} ${row.height}`, row.response);
      }
    }
    // A request without the total gets the same items; the additional total is harmless.
    for (const data of [row.data, list?.uncounted(unhex(row.data)) ?? row.data]) {
      const key = keyOf(row.path, withoutExtras(registry, row.path, data), row.height ?? 'any', row.prove);
      if (!exact.has(key)) exact.set(key, row.response);
    }
  }

  /**
   * DenomsMetadata was recorded as a whole list and contains one denom, so every other denom has no metadata. No message of the
   * scenario removes metadata, so the list also holds for earlier heights.
   */
  function answerMetadata(data: Uint8Array, height: bigint): AbciResponse | undefined {
    const { denom } = fromBinary(QueryDenomMetadataRequestSchema, data);
    if (exact.has(keyOf(DENOM_METADATA, hex(data), '566', false))) return undefined;
    return { ...noMetadata, height: String(height), log: noMetadata.log.replace('denom nothing', `denom ${denom}`) };
  }

  function answerDescriptors(height: bigint): AbciResponse {
    const value = Buffer.from(readDescriptors()).toString('base64');
    return { code: 0, log: '', info: '', index: '0', key: null, value, proofOps: null, height: String(height), codespace: '' };
  }

  function listAt(path: string): ReplayList | undefined {
    return path.startsWith(GROUP) ? groupLists[path.slice(GROUP.length)] : moduleLists[path];
  }

  function answerPage(list: ReplayList, { path, data }: StateQuestion, height: bigint): AbciResponse | undefined {
    const page = list.pageOf(data);
    if (page !== undefined && page.key.length > 0 && page.offset > 0n) return { ...keyAndOffset, height: String(height) };
    const whole = wholes.get(`${path} ${list.argumentsOf(data)} ${height}`);
    if (whole === undefined || whole.code !== 0) return whole;
    const value = list.page(data, Buffer.from(whole.value ?? '', 'base64'));
    return value && { ...whole, value: Buffer.from(value).toString('base64') };
  }

  function answerPruned({ path, data, prove }: StateQuestion, height: bigint, head: bigint): AbciResponse | undefined {
    if (isModuleQuery(path)) {
      const log = prunedState.log
        .replace('at height 50;', `at height ${height};`)
        .replace(/latest height: \d+/, `latest height: ${head}`);
      return { ...prunedState, log };
    }
    if (!/^\/store\/[^/]+\/key$/.test(path)) return undefined;
    return prove ? prunedProof : { ...prunedKey, key: Buffer.from(data).toString('base64'), height: String(height) };
  }

  return {
    answer: (question, { head, earliestState }) => {
      const { path, data, prove } = question;
      if (isModuleQuery(path) && question.height < 0n) return negative;
      if (isModuleQuery(path) && question.height > head) return future;
      const height = question.height === 0n ? head : question.height;
      if (height > 0n && height < earliestState) return answerPruned(question, height, head);
      if (path === DESCRIPTORS) return answerDescriptors(height);
      const list = listAt(path);
      const requestHex = withoutExtras(registry, path, hex(data));
      const recorded =
        exact.get(keyOf(path, requestHex, String(height), prove)) ?? exact.get(keyOf(path, requestHex, 'any', prove));
      if (recorded === undefined && path === DENOM_METADATA && height <= 566n) return answerMetadata(data, height);
      return recorded ?? (list && answerPage(list, question, height)) ?? overRest(path, data);
    },
    describe: (path, data) => {
      const [, service, method] = path.split('/');
      const input = registry.getService(service ?? '')?.methods.find(({ name }) => name === method)?.input;
      if (input === undefined) return undefined;
      try {
        return toJson(input, fromBinary(input, data), { registry }) as JsonValue;
      } catch {
        return undefined;
      }
    },
  };
}
