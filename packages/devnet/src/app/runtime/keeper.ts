import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { PageResponseSchema } from '../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import type { NodeReader } from '../../abci/abci.ts';
import type { StoreView } from '../state/store.ts';
import { PlainError } from './abciErrors.ts';
import type { Context } from './context.ts';
import type { Genesis } from './genesisState.ts';

/** A decoded message that can be executed. */
export interface DecodedMessage {
  readonly typeUrl: string;
  /** Addresses that must sign it, in the order of its `cosmos.msg.v1.signer` fields. */
  readonly signers: readonly string[];
  /** Number of messages that its base fee is charged for: itself and those that it carries. */
  readonly size: number;
  /** Executes it and returns its response message. Throws the errors of `abciErrors.ts`. */
  readonly run: (context: Context) => Any;
}

/** The handler of a message type. */
export interface MessageHandler {
  readonly typeUrl: string;
  /** Decodes a message. Throws if the bytes are invalid. */
  readonly decode: (value: Uint8Array) => DecodedMessage;
}

/**
 * The handler of a method of a Query service. Requests and responses are bytes. `time` is the time of the block in nanoseconds
 * since 1970. `node` is the queried node, if any. Throws the errors of `abciErrors.ts`.
 */
export interface QueryHandler {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly answer: (state: StoreView, request: Uint8Array, time: bigint, node?: NodeReader) => Uint8Array;
}

/** A validator that creates blocks. */
export interface ChainValidator {
  /** Consensus key: ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

/** A chain module. `keepers/index.ts` lists all modules. */
export interface Keeper {
  readonly messages: readonly MessageHandler[];
  readonly queries: readonly QueryHandler[];
  /** Writes the genesis to the state, before the first message of its history. */
  readonly initGenesis?: (context: Context, genesis: Genesis, validators: readonly ChainValidator[]) => void;
  readonly beginBlock?: (context: Context) => void;
  readonly endBlock?: (context: Context) => void;
}

/** Creates the handler of messages of type `input` with responses of type `output`. `sizeOf` counts a message that carries others. */
export function onMessage<I extends DescMessage, O extends DescMessage>(
  input: I,
  output: O,
  signers: (message: MessageShape<I>) => readonly string[],
  run: (context: Context, message: MessageShape<I>) => MessageInitShape<O>,
  sizeOf: (message: MessageShape<I>) => number = () => 1,
): MessageHandler {
  const typeUrl = `/${input.typeName}`;
  return {
    typeUrl,
    decode(value) {
      const message = fromBinary(input, value);
      const response = (context: Context): Any => packAny(output, create(output, run(context, message)));
      return { typeUrl, signers: signers(message), size: sizeOf(message), run: response };
    },
  };
}

/** Creates the handler of `/service/method`. */
export function onQuery<I extends DescMessage, O extends DescMessage>(
  method: { readonly parent: { readonly typeName: string }; readonly name: string; readonly input: I; readonly output: O },
  answer: (state: StoreView, request: MessageShape<I>, time: bigint, node?: NodeReader) => MessageInitShape<O>,
): QueryHandler {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    answer: (state, request, time, node) =>
      toBinary(method.output, create(method.output, answer(state, decodeRequest(method.input, request), time, node))),
  };
}

/** The stored rows of a list response, and its page response. */
export interface ListAnswer {
  readonly rows: readonly Uint8Array[];
  readonly pagination: MessageInitShape<typeof PageResponseSchema>;
}

/**
 * Creates the handler of a list method whose response has the rows in field 1 and the page response in field 2. Stored rows are
 * copied without decoding.
 */
export function onList<I extends DescMessage, O extends DescMessage>(
  method: { readonly parent: { readonly typeName: string }; readonly name: string; readonly input: I; readonly output: O },
  answer: (state: StoreView, request: MessageShape<I>) => ListAnswer,
): QueryHandler {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    answer(state, bytes) {
      const { rows, pagination } = answer(state, decodeRequest(method.input, bytes));
      const writer = new BinaryWriter();
      for (const row of rows) writer.tag(1, WireType.LengthDelimited).bytes(row);
      const page = toBinary(PageResponseSchema, create(PageResponseSchema, pagination));
      return writer.tag(2, WireType.LengthDelimited).bytes(page).finish();
    },
  };
}

function decodeRequest<I extends DescMessage>(schema: I, bytes: Uint8Array): MessageShape<I> {
  try {
    return fromBinary(schema, bytes);
  } catch {
    // The node's text for `ffff`. It has other texts for other invalid bytes.
    throw new PlainError('unexpected EOF');
  }
}

/** Packs a message into an Any, with the type URL `/` + type name. */
export function packAny<D extends DescMessage>(schema: D, message: MessageShape<D>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) });
}

/** Unpacks an Any. undefined if its type differs. */
export function unpackAny<D extends DescMessage>(schema: D, any: Any | undefined): MessageShape<D> | undefined {
  return any?.typeUrl === `/${schema.typeName}` ? fromBinary(schema, any.value) : undefined;
}

/** The message and query handlers of all keepers. */
export interface Router {
  /** Decodes a message. Throws a {@link PlainError} for an unknown type and for invalid bytes. */
  readonly decode: (message: Any) => DecodedMessage;
  /** Returns the handler of a query path. undefined if there is none. */
  readonly query: (path: string) => QueryHandler | undefined;
}

/** Creates the router of all keepers. */
export function createRouter(keepers: readonly Keeper[]): Router {
  const messages = new Map(keepers.flatMap((keeper) => keeper.messages).map((handler) => [handler.typeUrl, handler]));
  const queries = new Map(keepers.flatMap((keeper) => keeper.queries).map((handler) => [handler.path, handler]));
  return {
    decode(message) {
      const handler = messages.get(message.typeUrl);
      if (handler === undefined) throw new PlainError(`unable to resolve type URL ${message.typeUrl}`);
      try {
        return handler.decode(message.value);
      } catch {
        throw new PlainError('unexpected EOF');
      }
    },
    query: (path) => queries.get(path),
  };
}
