import type { Client } from '../chain/client.ts';
import { proofUnavailable, provable } from '../chain/proofs/answerProofs.ts';
import type { StateRequest } from '../chain/state/state.ts';
import { badInput } from '../reads/errors.ts';

/** The header that asks for a proof of the answer, with the value `1`. `extensions.proof` in the body is equivalent. */
export const proofHeader = 'accept-proof';

/** The header that names the hash of the validator set that the client has, which the proof then leaves out. `extensions.trusted` in the body is equivalent. */
export const trustedHeader = 'trusted-validators';

/** The header that names how many nodes must agree on the answer. `extensions.quorum` in the body of a GraphQL request is equivalent. */
export const quorumHeader = 'accept-quorum';

/** What a client asks for that wants a proof of its answer. */
export interface ProofRequest {
  /** What `extensions.proof` is, if it is neither a boolean nor null. */
  readonly invalid?: string | undefined;
  /** The hash of the validator set that the client has, as it sent it. undefined if it named none. */
  readonly trusted: string | undefined;
}

/** What the extensions of a GraphQL request ask for. undefined if they ask for no proof. */
export function proofInExtensions(extensions: Readonly<Record<string, unknown>> | null | undefined): ProofRequest | undefined {
  const value = extensions?.proof ?? false;
  if (value === false) return undefined;
  const trusted = extensions?.trusted;
  return {
    ...(value !== true && { invalid: JSON.stringify(value) }),
    trusted: trusted === undefined || trusted === null ? undefined : String(trusted),
  };
}

/** Whether a text is the hash of a validator set, or absent. */
export const isSetHash = (text: string | undefined): boolean => text === undefined || /^[0-9a-f]{64}$/i.test(text);

/** The header of a response that names the URL of its proof, on this server. */
export const proofUrlHeader = 'proof-url';

/** The longest URL of a proof, in characters. Longer ones are refused by proxies. */
const longestUrl = 8_000;

/** The URL of the proof of these requests at a height: those of one path are separated by commas. Throws PROOF_UNAVAILABLE if it is too long. */
export function proofUrl(height: bigint, requests: readonly StateRequest[]): string {
  const byPath = new Map<string, string[]>();
  for (const { path, request } of provable(requests)) {
    const texts = byPath.get(path) ?? [];
    byPath.set(path, [...texts, Buffer.from(request).toString('base64url')]);
  }
  const reads = [...byPath].map(([path, texts]) => `read=${path}:${texts.join(',')}`);
  const url = `/v1/proofs/${height}${reads.length === 0 ? '' : `?${reads.join('&')}`}`;
  if (url.length <= longestUrl) return url;
  throw proofUnavailable('TOO_LARGE', `The URL of the proof has more than ${longestUrl} characters. Ask for a smaller page.`, {
    max: longestUrl,
  });
}

/** The requests in a list of `path:request` and further requests of the same path. undefined if one is malformed. */
export function readsOfUrl(text: string): readonly StateRequest[] | undefined {
  if (text === '') return [];
  const requests: StateRequest[] = [];
  let path: string | undefined;
  for (const part of text.split(',')) {
    const end = part.indexOf(':');
    if (end !== -1) path = part.slice(0, end);
    const request = part.slice(end + 1);
    if (path === undefined || !/^\/[\w.]+\/\w+$/.test(path) || !/^[\w-]*$/.test(request)) return undefined;
    requests.push({ path, request: Buffer.from(request, 'base64url') });
  }
  return requests;
}

/** The header of an answer with what it rests on, if a request named a quorum. In GraphQL, `extensions.quorum`. */
export const agreementHeader = 'quorum';

/** What several nodes agreed on. `QUORUM`: so many nodes (`agreed`) gave the same for each read. `ASSERTED`: one node, or this server, said something of it. */
export interface Agreement {
  readonly level: 'QUORUM' | 'ASSERTED';
  /** How many nodes the server has. */
  readonly nodes: number;
  readonly agreed: number;
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
