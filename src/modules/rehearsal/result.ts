import { fromBinary } from '@bufbuild/protobuf';
import type { Event } from '../../chain/base/execution.ts';
import { SimulateResponseSchema } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { type Coin, coinsOfText } from '../bank/query.ts';
import { eventFields, msgIndex } from '../events/events.ts';
import { CannotRehearse } from './causes.ts';
import type { Plan } from './plan.ts';

/** A message that failed. `index` is its place among the messages of the proposal; null if the error names none. */
export interface FailedMessage {
  readonly index: number | null;
  readonly error: string;
}

/** What the messages of a proposal did, or would do. */
export interface Effects {
  readonly failed: FailedMessage | null;
  /** The events of the messages, without those of the submission, the votes and the execution. */
  readonly events: readonly Event[];
}

/** A movement of coins. `sender` is null if an event names none. */
export interface Movement {
  readonly sender: string | null;
  readonly recipient: string;
  readonly amount: readonly Coin[];
}

/** How much an account gains or loses of a denom. */
export interface BalanceDelta {
  readonly account: string;
  readonly denom: string;
  readonly delta: bigint;
}

const attributeOf = (event: Event, name: string): string => event.attributes.find(({ key }) => key === name)?.value ?? '';

const fieldOf = (event: Event, name: string): string => {
  const value = eventFields(event)?.[name];
  return typeof value === 'string' ? value : '';
};

/** Events of the group module that belong to the submission and the votes, at the start of the events of a message. */
const openings = ['cosmos.group.v1.EventSubmitProposal', 'cosmos.group.v1.EventVote'];
const pruned = 'cosmos.group.v1.EventProposalPruned';
const executed = 'cosmos.group.v1.EventExec';

/** The same event without the index of the message, which is that of the envelope. */
function plain({ type, attributes }: Event): Event {
  return { type, attributes: attributes.filter(({ key }) => key !== 'msg_index') };
}

const failureLog =
  /^proposal execution failed on proposal \d+, because of error (?:message \S+ at position (\d+): )?([\s\S]*)$/;

/**
 * What the execution of proposal `id` did, by the events of a transaction whose message `index` ran it, really or in a simulation. `id` is undefined
 * if the message submitted it. undefined if it was not run.
 */
export function effectsOf(events: readonly Event[], index: number, id?: bigint): Effects | undefined {
  const eventsOfStep = events.filter((event) => msgIndex(event) === index);
  // The first event names the message. The submission and its votes follow.
  let start = eventsOfStep[0]?.type === 'message' ? 1 : 0;
  while (openings.includes(eventsOfStep[start]?.type ?? '')) start += 1;
  const isOf = (event: Event): boolean => id === undefined || fieldOf(event, 'proposalId') === id.toString();
  const end = eventsOfStep.findLastIndex((event) => event.type === executed && isOf(event));
  const execution = eventsOfStep[end];
  if (execution === undefined) return undefined;
  const result = fieldOf(execution, 'result');
  if (result === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') {
    const log = fieldOf(execution, 'logs');
    const [, position, error] = failureLog.exec(log) ?? [];
    return { failed: { index: position === undefined ? null : Number(position), error: error ?? log }, events: [] };
  }
  if (result !== 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') return undefined;
  const last = eventsOfStep[end - 1]?.type === pruned ? end - 1 : end;
  return { failed: null, events: eventsOfStep.slice(start, last).map(plain) };
}

/** The transfers among events, in order. */
export function movementsOf(events: readonly Event[]): readonly Movement[] {
  return events.flatMap((event) => {
    if (event.type !== 'transfer') return [];
    const amount = coinsOfText(attributeOf(event, 'amount'));
    const recipient = attributeOf(event, 'recipient');
    if (amount === undefined || recipient === '') return [];
    return [{ sender: attributeOf(event, 'sender') || null, recipient, amount }];
  });
}

/** What accounts gain and lose by events of the bank module, in the order in which they occur first. Changes of 0 are left out. */
export function balanceDeltas(events: readonly Event[]): readonly BalanceDelta[] {
  const deltas = new Map<string, BalanceDelta>();
  const sides: readonly (readonly [string, string, bigint])[] = [
    ['coin_spent', 'spender', -1n],
    ['coin_received', 'receiver', 1n],
  ];
  for (const event of events) {
    const [, name, sign] = sides.find(([type]) => type === event.type) ?? [];
    if (name === undefined || sign === undefined) continue;
    const account = attributeOf(event, name);
    for (const { denom, amount } of coinsOfText(attributeOf(event, 'amount')) ?? []) {
      const key = `${account} ${denom}`;
      const delta = (deltas.get(key)?.delta ?? 0n) + sign * BigInt(amount);
      deltas.set(key, { account, denom, delta });
    }
  }
  return [...deltas.values()].filter(({ delta }) => delta !== 0n);
}

/** What a simulation said: the gas and the effects of the messages. */
export interface Simulated extends Effects {
  readonly gasUsed: bigint;
}

/** The gas limit that a meter without one reports. */
const noLimit = 2n ** 64n - 1n;

/** Reads the response of a simulation of a plan. */
export function readSimulation(response: Uint8Array, plan: Plan, id: bigint | undefined): Simulated {
  const { gasInfo, result } = fromBinary(SimulateResponseSchema, response);
  // The service of Provenance has the gas where others have the limit, and the fee where others have the gas (docs/chain.md, "Simulations").
  const { gasWanted = 0n, gasUsed = 0n } = gasInfo ?? {};
  const events = (result?.events ?? []).map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }));
  const effects = effectsOf(events, plan.runs, plan.submits ? undefined : id);
  if (effects === undefined) throw new CannotRehearse('NOT_ACCEPTED');
  return { ...effects, gasUsed: gasWanted === noLimit || gasWanted === 0n ? gasUsed : gasWanted };
}

/** The text of a refusal without what the node adds: the place in its source, and the gas. */
export function refusalText(log: string): string {
  return log
    .replace(/^rpc error: code = Unknown desc = /, '')
    .replace(/: unknown request$/, '')
    .replace(/ with gas used: '\d+'$/, '')
    .replace(/ \[[^\s[\]]+\.go:\d+\]$/, '')
    .replace(/\nstack:[\s\S]*$/, '')
    .slice(0, 1_000);
}

/**
 * What the refusal of a whole transaction says about the messages: they fail if the step that submits them does, or if they cannot be decoded.
 * Anything else is about the envelope, and says nothing about the proposal.
 */
export function readRefusal(log: string, { runs, submits }: Plan): FailedMessage {
  const text = refusalText(log);
  const [, step, error] = /^failed to execute message; message index: (\d+): ([\s\S]*)$/.exec(text) ?? [];
  // The proposers are those that the plan chose: one that is no member any more says nothing about the messages.
  const isOfMessages =
    step === undefined ? /tx parse error/.test(text) : Number(step) === runs && !/^not in group: /.test(error ?? '');
  if (!submits || !isOfMessages) throw new CannotRehearse('REFUSED', text);
  const [, index, rest] = /^msg (\d+): ([\s\S]*)$/.exec(error ?? '') ?? [];
  return { index: index === undefined ? null : Number(index), error: rest ?? error ?? text };
}
