import type { IncomingHttpHeaders } from 'node:http';
import { proofUnavailable, provable } from '../chain/proofs/answerProofs.ts';
import type { StateRequest } from '../chain/state/state.ts';

/** The header that asks for a proof of the answer, with the value `1`. `extensions.proof` in the body is equivalent. */
export const proofHeader = 'accept-proof';

/** The header that names the hash of the validator set that the client has, which the proof then leaves out. `extensions.trusted` in the body is equivalent. */
export const trustedHeader = 'trusted-validators';

/** What a client asks for that wants a proof of its answer. */
export interface ProofRequest {
  /** What `extensions.proof` is, if it is neither a boolean nor null. */
  readonly invalid?: string | undefined;
  /** The hash of the validator set that the client has, as it sent it. undefined if it named none. */
  readonly trusted: string | undefined;
}

/** What the headers of a request ask for. undefined if they ask for no proof. */
export function proofInHeaders(headers: IncomingHttpHeaders): ProofRequest | undefined {
  if (headers[proofHeader] !== '1') return undefined;
  const trusted = headers[trustedHeader];
  return { trusted: typeof trusted === 'string' ? trusted : undefined };
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
