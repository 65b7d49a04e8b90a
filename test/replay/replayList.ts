import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import {
  type PageRequest,
  type PageResponse,
  PageResponseSchema,
} from '../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';

/** Number of items for `limit` 0 or no limit; the chain then counts as well (docs/chain.md, "Page requests"). */
const DEFAULT_LIMIT = 100n;

/** Cuts the recorded list of one query into pages. */
export interface ReplayList {
  /** The request without pagination, in hex; identifies the list. */
  readonly argumentsOf: (request: Uint8Array) => string;
  /** The request without `count_total`, in hex; undefined if the request does not set it. */
  readonly uncounted: (request: Uint8Array) => string | undefined;
  readonly pageOf: (request: Uint8Array) => PageRequest | undefined;
  /** Whether the response to this request contains the whole list. */
  readonly isWhole: (request: Uint8Array, response: Uint8Array) => boolean;
  /**
   * Returns the chain's response to `request`, from the whole list; undefined if `key` and `offset` are combined, which the
   * chain refuses.
   */
  readonly page: (request: Uint8Array, whole: Uint8Array) => Uint8Array | undefined;
}

interface Rule<Q extends DescMessage, R extends DescMessage, Item> {
  readonly request: Q;
  readonly response: R;
  readonly items: (response: MessageShape<R>) => Item[];
  /** Row key of an item: the sort key of the list, and the form of `key` and `next_key`. */
  readonly rowId: (item: Item, request: MessageShape<Q>) => Uint8Array;
  /** Default: true. */
  readonly obeysKey?: boolean;
}

/** Encodes an id as the chain's store does. */
export function bigEndian(id: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, id);
  return bytes;
}

/** Returns the bytes of an address. */
export function addressBytes(address: string): Uint8Array {
  return bech32.decodeToBytes(address).bytes;
}

/** Creates a list query from its protobuf messages. */
export function listOf<Q extends DescMessage, R extends DescMessage, Item>(rule: Rule<Q, R, Item>): ReplayList {
  const decodeRequest = (bytes: Uint8Array) =>
    fromBinary(rule.request, bytes) as MessageShape<Q> & { pagination?: PageRequest };
  const decodeResponse = (bytes: Uint8Array) =>
    fromBinary(rule.response, bytes) as MessageShape<R> & { pagination?: PageResponse };
  return {
    pageOf: (bytes) => decodeRequest(bytes).pagination,
    argumentsOf: (bytes) => {
      const request = decodeRequest(bytes);
      delete request.pagination;
      return Buffer.from(toBinary(rule.request, request)).toString('hex');
    },
    uncounted: (bytes) => {
      const request = decodeRequest(bytes);
      if (request.pagination?.countTotal !== true) return undefined;
      request.pagination.countTotal = false;
      return Buffer.from(toBinary(rule.request, request)).toString('hex');
    },
    isWhole: (requestBytes, responseBytes) => {
      const { key, offset } = decodeRequest(requestBytes).pagination ?? { key: new Uint8Array(), offset: 0n };
      const more = decodeResponse(responseBytes).pagination?.nextKey ?? new Uint8Array();
      return key.length === 0 && offset === 0n && more.length === 0;
    },
    page: (requestBytes, wholeBytes) => {
      const request = decodeRequest(requestBytes);
      const answer = decodeResponse(wholeBytes);
      const items = rule.items(answer);
      const { key = new Uint8Array(), offset = 0n, limit: requestedLimit = 0n, countTotal = false } = request.pagination ?? {};
      if (key.length > 0 && offset > 0n) return undefined;
      const limit = requestedLimit === 0n ? DEFAULT_LIMIT : requestedLimit;
      const rows = items.map((item) => ({ item, id: rule.rowId(item, request) }));
      const obeyed = key.length > 0 && rule.obeysKey !== false;
      const from = obeyed ? rows.filter(({ id }) => Buffer.compare(id, key) >= 0) : rows;
      const rest = from.slice(Number(offset));
      const counted = (countTotal || requestedLimit === 0n) && key.length === 0;
      items.splice(0, items.length, ...rest.slice(0, Number(limit)).map(({ item }) => item));
      answer.pagination = create(PageResponseSchema, {
        nextKey: rest[Number(limit)]?.id ?? new Uint8Array(),
        total: counted ? BigInt(rows.length) : 0n,
      });
      return toBinary(rule.response, answer);
    },
  };
}
