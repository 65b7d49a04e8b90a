import type { IncomingHttpHeaders } from 'node:http';

/** The header that asks for a proof of the answer, with the value `1`. `extensions.proof` in the body is equivalent. */
export const proofHeader = 'accept-proof';

/** The header that names the hash of the validator set that the client has, which the proof then leaves out. `extensions.trusted` in the body is equivalent. */
export const trustedHeader = 'trusted-validators';

/** What a client asks for that wants a proof of its answer. */
export interface ProofRequest {
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
  if (extensions?.proof !== true) return undefined;
  const { trusted } = extensions;
  return { trusted: trusted === undefined || trusted === null ? undefined : String(trusted) };
}

/** Whether a text is the hash of a validator set, or absent. */
export const isSetHash = (text: string | undefined): boolean => text === undefined || /^[0-9a-f]{64}$/i.test(text);
