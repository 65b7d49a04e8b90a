import { create, toBinary } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { isChainError } from '../../chain/base/errors.ts';
import type { Event } from '../../chain/base/execution.ts';
import type { Client } from '../../chain/client.ts';
import { whyNotPlain } from '../../chain/simulation/execution.ts';
import { asObject, bigintAt, bytesAt, intAt, objectAt, textAt } from '../../chain/wire/json.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { Service } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { Query as FlatFeesQuery } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { createPin, type Pin } from '../../reads/pin.ts';
import { fromAny, typesOf } from '../any/codec.ts';
import { createBankLoaders } from '../bank/query.ts';
import type { GroupPolicy, Proposal } from '../group/model.ts';
import { createGroupLoaders } from '../group/query.ts';
import { createValidatorLoaders } from '../validators/query.ts';
import { CannotRehearse, type Cause } from './causes.ts';
import { changesInWords } from './changes.ts';
import { envelope } from './envelope.ts';
import { type Plan, planFor } from './plan.ts';
import {
  balanceDeltas,
  type FailedMessage,
  type Movement,
  movementsOf,
  readRefusal,
  readSimulation,
  type Simulated,
} from './result.ts';
import { touchedStores } from './stores.ts';

/** How a rehearsal ends. */
export type RehearsalOutcome = 'SUCCEEDS' | 'FAILS' | 'CANNOT_REHEARSE';

/** A balance before and after, in base units. */
export interface BalanceChange {
  readonly account: string;
  readonly denom: string;
  readonly before: string;
  readonly after: string;
}

/** What would happen if a proposal ran now. */
export interface Rehearsal {
  readonly outcome: RehearsalOutcome;
  /** Why it cannot be rehearsed; null if it was. */
  readonly cause: Cause | null;
  /** Why it fails or cannot be rehearsed, in a sentence; null if it succeeds. */
  readonly reason: string | null;
  /** What is taken for granted; null if nothing was run. */
  readonly assumption: string | null;
  /** The block after which it ran; null if nothing was run. */
  readonly height: bigint | null;
  readonly failed: (FailedMessage & { readonly message: AnyMessage | null }) | null;
  readonly gasUsed: bigint | null;
  /** The part of the gas of a block, 0 to 1; null if a block has no limit. */
  readonly gasShare: number | null;
  readonly movements: readonly Movement[];
  readonly balances: readonly BalanceChange[];
  readonly events: readonly Event[];
  readonly changes: readonly string[];
  /** Whether one of the lists is cut. */
  readonly isCut: boolean;
  /** The stores that it depends on. undefined if any may be among them. */
  readonly stores: readonly string[] | undefined;
}

/** What bounds rehearsals. */
export interface RehearsalBounds {
  /** Most bytes of the messages. */
  readonly bytes: number;
  /** Called before a simulation. Returns a function that takes it back if no node ran it; undefined if the caller may have no more. */
  readonly spend: () => (() => void) | undefined;
}

/** The most messages of a proposal that a node decodes (recorded: A27). */
const mostMessages = 99;

/** The most entries of each list of a rehearsal. */
const mostEntries = 100;

/** The gas limit of a transaction of Provenance (recorded: A26). */
const txGasLimit = 4_000_000n;

/** What one vote or one proposer adds to the gas (measured on Provenance v1.29: A7). Somebody else pays for it, in another transaction. */
const gasOfVote = 57_000n;

const nothing = { failed: null, movements: [], balances: [], events: [], changes: [], isCut: false } as const;

/** The rehearsal of what cannot be rehearsed. */
export function cannotRehearse(error: CannotRehearse): Rehearsal {
  return {
    ...nothing,
    outcome: 'CANNOT_REHEARSE',
    cause: error.why,
    reason: error.message,
    assumption: null,
    height: null,
    gasUsed: null,
    gasShare: null,
    stores: undefined,
  };
}

const anyOf = ({ type, value }: AnyMessage): Any => create(AnySchema, { typeUrl: type, value });

/** Throws {@link CannotRehearse} for messages that are too many, too large, or may execute a contract. */
async function requirePlain(pin: Pin, messages: readonly Any[], bytes: number): Promise<void> {
  if (messages.length > mostMessages) throw new CannotRehearse('TOO_MANY_MESSAGES');
  const proposal = async (id: bigint) => (await pin.loaders(createGroupLoaders).proposal.load(id))?.messages.map(anyOf);
  const tx = envelope(
    messages.map((message) => ({ message, signers: [] })),
    new Map(),
    0n,
  );
  // The envelope of no signer adds a few bytes.
  const why = await whyNotPlain(tx, { bytes, messages: mostMessages, registry: await typesOf(pin), proposal });
  if (why === undefined) return;
  const isSize = why.reason === 'TOO_LARGE' || why.reason === 'TOO_MANY_MESSAGES';
  if (!isSize && pin.client.rehearsesContracts) return;
  const detail = why.type === undefined ? '' : `The type is ${why.type}.`;
  if (why.reason === 'TOO_LARGE') throw new CannotRehearse('TOO_LARGE', `At most ${bytes} bytes are.`);
  if (why.reason === 'TOO_MANY_MESSAGES') throw new CannotRehearse('TOO_MANY_MESSAGES');
  throw new CannotRehearse(why.reason === 'UNKNOWN_TYPE' || why.reason === 'MALFORMED' ? 'UNKNOWN_TYPE' : 'CONTRACT', detail);
}

/** What a node replied to a simulation, and the height of its state. */
type Reply = { readonly height: bigint } & ({ readonly response: Uint8Array } | { readonly log: string });

const simulatePath = `/${Service.typeName}/${Service.method.simulate.name}`;

/** Simulates on the node for simulations, or anywhere if nobody else depends on the nodes. A caller that leaves does not end it. */
async function simulate(client: Client, tx: Uint8Array): Promise<Reply> {
  const request = toBinary(Service.method.simulate.input, create(Service.method.simulate.input, { txBytes: tx }));
  const params = { path: simulatePath, data: Buffer.from(request).toString('hex'), height: '0', prove: false };
  try {
    return await client.call('abci_query', params, {
      // The nodes that serve reads are never used.
      maySimulate: false,
      decode(result): Reply {
        const response = objectAt(asObject(result, 'abci_query'), 'response');
        const height = bigintAt(response, 'height');
        if (intAt(response, 'code') !== 0) return { height, log: textAt(response, 'log') };
        return { height, response: bytesAt(response, 'value') ?? new Uint8Array() };
      },
    });
  } catch (error) {
    if (isChainError(error, 'SIMULATION_DISABLED')) throw new CannotRehearse('NO_NODE');
    if (isChainError(error, 'NODE_TIMEOUT')) throw new CannotRehearse('DID_NOT_END');
    if (isChainError(error, 'NODE_UNREACHABLE') || isChainError(error, 'NODE_INVALID_RESPONSE'))
      throw new CannotRehearse('BUSY');
    throw error;
  }
}

/** The balances of the accounts that gain or lose, as they were where the rehearsal ran. */
async function balancesOf(pin: Pin, events: readonly Event[]): Promise<{ balances: readonly BalanceChange[]; isCut: boolean }> {
  const deltas = balanceDeltas(events);
  const { balance } = pin.loaders(createBankLoaders);
  const balances = await Promise.all(
    deltas.slice(0, mostEntries).map(async ({ account, denom, delta }) => {
      const { amount } = await balance.load({ address: account, denom });
      return { account, denom, before: amount, after: (BigInt(amount) + delta).toString() };
    }),
  );
  return { balances, isCut: deltas.length > mostEntries };
}

/** The gas of a block; undefined if it has no limit or no node tells it. */
async function blockGas(pin: Pin): Promise<bigint | undefined> {
  try {
    const { block } = await pin.loaders(createValidatorLoaders).consensusParams.load(pin.height);
    return block !== null && block.maxGas > 0n ? block.maxGas : undefined;
  } catch {
    return undefined;
  }
}

/** The gas limit of a transaction; undefined if the chain has none but that of a block. */
async function gasLimit(pin: Pin): Promise<bigint | undefined> {
  const { method, typeName } = FlatFeesQuery;
  return (await pin.client.serves(`/${typeName}/${method.params.name}`, pin.signal)) ? txGasLimit : undefined;
}

const failedMessage = (failed: FailedMessage, messages: readonly Any[]): Rehearsal['failed'] => {
  const message = failed.index === null ? undefined : messages[failed.index];
  return { ...failed, message: message === undefined ? null : fromAny(message) };
};

/** Rehearses a proposal, or messages that are not submitted, on the newest state. `at` is the height of the request, whose state the plan is made from. */
export async function rehearse(
  client: Client,
  at: bigint,
  policy: GroupPolicy,
  what: Proposal | readonly Any[],
  { bytes, spend }: RehearsalBounds,
): Promise<Rehearsal> {
  // Callers share the rehearsal, so it has a pin of its own, which none of them can abort.
  const pin = createPin(client, at);
  const messages = 'messages' in what ? what.messages.map(anyOf) : what;
  let plan: Plan;
  let reply: Reply;
  let takeBack: (() => void) | undefined;
  try {
    await requirePlain(pin, messages, bytes);
    plan = await planFor(pin, policy, what);
    takeBack = spend();
    if (takeBack === undefined) throw new CannotRehearse('BUDGET');
    reply = await simulate(client, envelope(plan.steps, plan.accounts, plan.time));
  } catch (error) {
    if (error instanceof CannotRehearse) {
      if (error.why === 'NO_NODE') takeBack?.();
      return cannotRehearse(error);
    }
    throw error;
  }
  const height = reply.height > 0n ? reply.height : at;
  const stores = touchedStores(client.roots, messages);
  const common = { ...nothing, cause: null, assumption: plan.assumption, height, gasUsed: null, gasShare: null, stores };
  let simulated: Simulated | FailedMessage;
  try {
    simulated =
      'response' in reply
        ? readSimulation(reply.response, plan, 'messages' in what ? what.id : undefined)
        : readRefusal(reply.log, plan);
  } catch (error) {
    if (error instanceof CannotRehearse) return { ...cannotRehearse(error), assumption: plan.assumption, height };
    throw error;
  }
  if (!('gasUsed' in simulated)) {
    const reason = `The chain refuses the proposal: ${simulated.error}`;
    return { ...common, outcome: 'FAILS', reason, failed: failedMessage(simulated, messages) };
  }
  const [share, limit] = await Promise.all([blockGas(pin), gasLimit(pin)]);
  const { gasUsed, failed, events } = simulated;
  const gas = { gasUsed, gasShare: share === undefined ? null : Number(gasUsed) / Number(share) };
  if (failed !== null) {
    const place = failed.index === null ? '' : `Message ${failed.index + 1} of ${messages.length}: `;
    return { ...common, ...gas, outcome: 'FAILS', reason: `${place}${failed.error}`, failed: failedMessage(failed, messages) };
  }
  const most = limit ?? share;
  if (most !== undefined && gasUsed - gasOfVote * BigInt(plan.votes) > most) {
    const reason = `It takes about ${gasUsed} gas, and a transaction has at most ${most}.`;
    return { ...common, ...gas, outcome: 'FAILS', reason };
  }
  // A node that is ahead of the head has a state that cannot be read yet.
  const newest = client.head.current()?.height ?? at;
  const { balances, isCut } = await balancesOf(height > newest ? pin : createPin(client, height), events);
  const movements = movementsOf(events);
  const changes = changesInWords(events);
  return {
    ...common,
    ...gas,
    outcome: 'SUCCEEDS',
    reason: null,
    movements: movements.slice(0, mostEntries),
    balances,
    events: events.slice(0, 5 * mostEntries),
    changes: changes.slice(0, mostEntries),
    isCut: isCut || movements.length > mostEntries || events.length > 5 * mostEntries || changes.length > mostEntries,
  };
}
