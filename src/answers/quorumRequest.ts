import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../chain/client.ts';
import { badInput } from '../reads/errors.ts';

/** The header that names how many nodes must agree on the answer. `extensions.quorum` in the body of a GraphQL request is equivalent. */
export const quorumHeader = 'accept-quorum';

/** The header of an answer with what it rests on, if a request named a quorum. In GraphQL, `extensions.quorum`. */
export const agreementHeader = 'quorum';

/** What several nodes agreed on. `QUORUM`: so many nodes (`agreed`) gave the same for each read. `ASSERTED`: one node, or this server, said something of it. */
export interface Agreement {
  readonly level: 'QUORUM' | 'ASSERTED';
  /** How many nodes the server has. */
  readonly nodes: number;
  readonly agreed: number;
}

/** The number of nodes that a header names, as text; undefined if there is none. */
export function quorumInHeaders(headers: IncomingHttpHeaders): string | undefined {
  const text = headers[quorumHeader];
  return typeof text === 'string' ? text : undefined;
}

/** The quorum of a request. It is a class because `isBelieved` changes while the request runs. */
export class RequestQuorum {
  /** The client whose reads so many nodes must agree on, and the client of the server. */
  readonly client: Client;
  readonly base: Client;
  /** How many times as much the request costs. */
  readonly factor: number;
  readonly #quorum: number;
  readonly #nodes: number;
  #isBelieved = false;

  constructor(client: Client, quorum: number, nodes: number) {
    const isMore = quorum > client.quorum;
    this.base = client;
    this.#quorum = Math.max(quorum, client.quorum);
    this.client = client.withQuorum(this.#quorum, () => {
      this.#isBelieved = true;
    });
    this.factor = isMore ? quorum : 1;
    this.#nodes = nodes;
  }

  /** What the answer rests on. */
  agreement(): Agreement {
    const isAgreed = !this.#isBelieved && this.#quorum > 1;
    return { level: isAgreed ? 'QUORUM' : 'ASSERTED', nodes: this.#nodes, agreed: isAgreed ? this.#quorum : 1 };
  }

  /** The same as the text of a header. */
  header(): string {
    const { level, nodes, agreed } = this.agreement();
    return `${level}; agreed=${agreed}; nodes=${nodes}`;
  }
}

/** The quorum that a request names; undefined if it names none. Throws BAD_USER_INPUT for anything but a number of nodes that the server has. */
export function requestQuorum(client: Client, argument: string, value: unknown): RequestQuorum | undefined {
  if (value === undefined || value === null) return undefined;
  const nodes = Math.max(client.nodes().length, 1);
  const quorum = typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) ? Number(value) : value;
  if (typeof quorum === 'number' && Number.isInteger(quorum) && quorum >= 1 && quorum <= nodes)
    return new RequestQuorum(client, quorum, nodes);
  const bound = nodes === 1 ? '1, because the server has one node' : `a number from 1 to ${nodes}, the nodes of the server`;
  throw badInput(argument, String(value), bound);
}
