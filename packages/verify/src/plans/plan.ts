import { bech32, bech32Parts } from './bech32.ts';
import type { Reading } from './reads.ts';
import { Message } from './wire.ts';

/** What a plan knows of the chain beside its stores. */
export interface PlanContext {
  /** The prefix of account addresses: `pb`, `tp`. */
  readonly prefix: string;
  /** The time of the block at the height of the reads, in nanoseconds since 1970. */
  readonly time: bigint;
}

/** A refusal of the node, as `abci_query` states it. */
export interface Refusal {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
}

/** The answer of a method: the bytes of its response message, or the node's refusal. */
export type MethodAnswer = { readonly value: Uint8Array } | { readonly refusal: Refusal };

/** How the answer of a query method follows from the contents of stores. */
export interface Plan {
  /** The path of the method: `/package.Service/Method`. */
  readonly path: string;
  /** The fields of the response that a rule computes from proven bytes. The others are proven bytes, or follow from which keys exist. */
  readonly recomputed: readonly string[];
  /** Computes the answer to an encoded request. Throws {@link UnplannedRequest} for a request that the plan does not cover. */
  answer(request: Uint8Array, context: PlanContext): Reading<MethodAnswer>;
}

/** A request that is out of a plan's range: malformed, or of a kind whose answer does not follow from the stores. */
export class UnplannedRequest extends Error {}

/** A refusal within a plan: the answer is no message. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.log);
    this.refusal = refusal;
  }
}

/** Refuses as the node does if a module returns an error of its own. */
export function refused(text: string): Refused {
  return new Refused({ code: 6, codespace: 'sdk', log: `${text}: unknown request` });
}

/** Refuses as the node does if a module returns the status NotFound. */
export function notFound(text: string): Refused {
  return new Refused({ code: 22, codespace: 'sdk', log: `rpc error: code = NotFound desc = ${text}: key not found` });
}

/** Makes a plan from a function that returns the response message. */
export function plan(
  path: string,
  respond: (request: Message, context: PlanContext) => Reading<Uint8Array>,
  recomputed: readonly string[] = [],
): Plan {
  return {
    path,
    recomputed,
    *answer(request, context) {
      try {
        return { value: yield* respond(new Message(request), context) };
      } catch (error) {
        if (error instanceof Refused) return { refusal: error.refusal };
        throw error;
      }
    },
  };
}

/** Decodes an address with this prefix. */
export function addressOf(text: string, prefix: string): Uint8Array {
  const parts = bech32Parts(text);
  if (parts?.prefix !== prefix || parts.bytes.length === 0) throw new UnplannedRequest('the address is not valid');
  return parts.bytes;
}

/** Encodes an account address. */
export const accountText = (address: Uint8Array, { prefix }: PlanContext): string => bech32(prefix, address);
