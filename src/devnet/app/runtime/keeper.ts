import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { PageResponseSchema } from '../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import type { NodeReader } from '../../abci/abci.ts';
import type { StoreView } from '../state/store.ts';
import { PlainError } from './abciErrors.ts';
import type { Context } from './context.ts';
import type { Genesis } from './genesisState.ts';

/** A message that was understood, ready to be run. */
export interface DecodedMessage {
  readonly typeUrl: string;
  /** Addresses that must sign it, in order, as the message's `cosmos.msg.v1.signer` fields have them. */
  readonly signers: readonly string[];
  /** Executes it; the answer is its response message. A refusal is thrown. */
  readonly run: (context: Context) => Any;
}

/** How messages of one type are handled. */
export interface MessageHandler {
  readonly typeUrl: string;
  /** Throws when the bytes are not of this type. */
  readonly decode: (value: Uint8Array) => DecodedMessage;
}

/**
 * How one method of a Query service answers, bytes in and out. `time` is that of the block whose state it is, in nanoseconds since
 * 1970; `node` is the one asked, if there is one. Refusals are thrown (`abciErrors.ts`).
 */
export interface QueryHandler {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly answer: (state: StoreView, request: Uint8Array, time: bigint, node?: NodeReader) => Uint8Array;
}

/** Somebody who makes blocks. */
export interface ChainValidator {
  /** Its consensus key: ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

/** What one chain module does. The list of them is `keepers/index.ts`. */
export interface Keeper {
  /** Name of its store, as in `/store/<name>/key`; absent when it keeps nothing. */
  readonly store?: string;
  readonly messages: readonly MessageHandler[];
  readonly queries: readonly QueryHandler[];
  /** Puts what the genesis names into the state, before the first message of its history. */
  readonly initGenesis?: (context: Context, genesis: Genesis, validators: readonly ChainValidator[]) => void;
  readonly beginBlock?: (context: Context) => void;
  readonly endBlock?: (context: Context) => void;
}

/** A handler of messages of type `input` that answers with `output`. */
export function onMessage<I extends DescMessage, O extends DescMessage>(
  input: I,
  output: O,
  signers: (message: MessageShape<I>) => readonly string[],
  run: (context: Context, message: MessageShape<I>) => MessageInitShape<O>,
): MessageHandler {
  const typeUrl = `/${input.typeName}`;
  return {
    typeUrl,
    decode(value) {
      const message = fromBinary(input, value);
      return { typeUrl, signers: signers(message), run: (context) => packAny(output, create(output, run(context, message))) };
    },
  };
}

/** A handler of `/service/method`. */
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

/** Rows of a list answer as they are stored, and its page response. */
export interface ListAnswer {
  readonly rows: readonly Uint8Array[];
  readonly pagination: MessageInitShape<typeof PageResponseSchema>;
}

/**
 * A handler of a list method whose answer has the rows in field 1 and the page response in field 2: stored rows are put in as they are, without
 * being decoded.
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
    // The node's text for `ffff`; it has others for other faults.
    throw new PlainError('unexpected EOF');
  }
}

/** A message in an Any whose type URL is `/` and the type's name. */
export function packAny<D extends DescMessage>(schema: D, message: MessageShape<D>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) });
}

/** The message in an Any when it is of that type; undefined otherwise. */
export function unpackAny<D extends DescMessage>(schema: D, any: Any | undefined): MessageShape<D> | undefined {
  return any?.typeUrl === `/${schema.typeName}` ? fromBinary(schema, any.value) : undefined;
}

/** All message and query handlers of all keepers. */
export interface Router {
  /** Understands a message. Throws a {@link PlainError} for a type that no keeper has, and for bytes that are not of the type. */
  readonly decode: (message: Any) => DecodedMessage;
  /** The handler of a query path; undefined when no keeper has it. */
  readonly query: (path: string) => QueryHandler | undefined;
}

/** Makes the router over all keepers. */
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
