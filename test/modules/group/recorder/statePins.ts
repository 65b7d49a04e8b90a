import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { Client } from '../../../../src/chain/client.ts';
import { createMemoryBudget } from '../../../../src/chain/memory/memoryBudget.ts';
import { createStateReader } from '../../../../src/chain/state/state.ts';
import { sizeOfEntry } from '../../../../src/chain/state/stateEntries.ts';
import type { Transport } from '../../../../src/chain/transports/transport.ts';
import { createPin, type Pin } from '../../../../src/reads/pin.ts';
import { readRegistry } from '../../../recordings/registry.ts';

/** The response to a query of the state. `value` is base64. */
export interface StateAnswer {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly value: string | null;
}

/** A query that a pin made. */
export interface StateQuestion {
  readonly path: string;
  /** The request's bytes in hex. */
  readonly data: string;
  readonly height: bigint;
}

/** Pins whose state is what `answer` returns, or resolves with, without a node. `timeAt` is the time of a block, RFC 3339. */
export function statePins(
  answer: (question: StateQuestion) => StateAnswer | Promise<StateAnswer>,
  timeAt: (height: bigint) => string,
): (height: bigint) => Pin {
  const transport: Transport = {
    async call(_method, params, { decode }) {
      const question = { path: String(params.path), data: String(params.data), height: BigInt(String(params.height)) };
      const response = {
        info: '',
        index: '0',
        key: null,
        proofOps: null,
        height: String(params.height),
        ...(await answer(question)),
      };
      return decode({ response });
    },
    subscribe: () => ({ close: () => undefined }),
    close: () => Promise.resolve(),
  };
  const cache = createMemoryBudget().cache('state', 'state', sizeOfEntry);
  const reader = createStateReader({ transport, chain: () => 'testing', cache });
  const client = {
    at: (height: bigint, signal?: AbortSignal) => reader.at(height, signal),
    blockInMemory: (height: bigint) => ({ header: { height, time: timeAt(height) } }),
  } as unknown as Client;
  return (height) => createPin(client, height);
}

/** A request of a list without its page, in hex. The recorded lists are whole. */
export function wholeRequest(path: string, data: string): string {
  const [, service = '', method = ''] = path.split('/');
  const { input } = readRegistry()
    .getService(service)!
    .methods.find(({ name }) => name === method)!;
  const message = reflect(input, fromBinary(input, Buffer.from(data, 'hex')));
  const page = input.fields.find(({ name }) => name === 'pagination');
  if (page !== undefined) message.clear(page);
  return Buffer.from(toBinary(input, message.message)).toString('hex');
}
