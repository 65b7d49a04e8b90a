import { SteleError, type TypedDocument } from '@stele/client';
import { asFailure } from '../data/failures.ts';
import { fetchWithToken } from '../data/session.ts';
import { firstDifference } from './difference.ts';
import type { KeptTrust, ProofReport, ProvenAnswer, VerifyRequest, VerifyResponse } from './report.ts';

/** The URL of the worker. The build puts it here. */
declare const VERIFIER_URL: string;

/** What is wrong with an answer: the code of the verifier, or `OTHER_VALUE` if the page shows something else than the proven answer. */
export interface Flaw {
  readonly code: string;
  readonly message: string;
  /** The path of the field. undefined if the proof as a whole is wrong. */
  readonly field: string | undefined;
}

/** The outcome of a verification: it holds, it does not, or there is no proof to verify. */
export type Outcome<T = unknown> =
  | (Exchange<T> & { readonly kind: 'PROVEN'; readonly report: ProofReport })
  | (Exchange<T> & { readonly kind: 'REFUTED'; readonly flaw: Flaw })
  | { readonly kind: 'UNAVAILABLE'; readonly error: SteleError };

/** What is asked: a document of the pages, and its variables. */
export interface Question {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** undefined for the newest height that can be proven. */
  readonly height: bigint | undefined;
  readonly chainId: string | undefined;
}

/** An answer with what it answers. */
export interface Exchange<T = unknown> {
  readonly question: Question;
  readonly answer: ProvenAnswer & { readonly data: T };
}

const trustKey = (chainId: string): string => `stele.trust.${chainId}`;

/** The block that this browser believes. undefined if it has verified none of the chain. */
export function keptTrust(chainId: string | undefined): KeptTrust | undefined {
  try {
    const text = chainId === undefined ? null : localStorage.getItem(trustKey(chainId));
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keepTrust(chainId: string, trust: KeptTrust): void {
  try {
    localStorage.setItem(trustKey(chainId), JSON.stringify(trust));
  } catch {
    // Without storage, each proof begins with the validators that it names itself, and the page says so.
  }
}

/** Forgets the block that this browser believes. The next proof begins anew. */
export function forgetTrust(chainId: string): void {
  localStorage.removeItem(trustKey(chainId));
}

/** Asks for an answer with its proof. Rejects with a {@link SteleError} if there is none. */
async function askWithProof<T>({ document, variables, height }: Question, signal: AbortSignal): Promise<Exchange<T>['answer']> {
  const extensions = { proof: true, ...(height !== undefined && { height: height.toString() }) };
  const response = await fetchWithToken('/graphql', 'application/json', {
    method: 'POST',
    body: JSON.stringify({ query: document, variables, extensions }),
    signal,
  });
  const answer: Exchange<T>['answer'] = await response.json();
  if ((answer.extensions?.proof ?? null) !== null) return answer;
  const { code, ...facts } = answer.errors?.at(-1)?.extensions ?? {};
  throw new SteleError('PROOF_UNAVAILABLE', 'There is no proof.', { facts: { ...facts, code } });
}

/** Verifies an answer in a worker, which ends with it. */
async function inWorker(request: VerifyRequest, signal: AbortSignal): Promise<VerifyResponse> {
  const worker = new Worker(VERIFIER_URL, { type: 'module' });
  try {
    return await new Promise<VerifyResponse>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<VerifyResponse>) => resolve(data));
      worker.addEventListener('error', () => reject(new SteleError('CONNECTION_FAILED', 'The verifier was not loaded.')));
      signal.addEventListener('abort', () => reject(signal.reason));
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}

/**
 * Asks for an answer with its proof and verifies it. With `page`, the data that the page shows at the same height has to say the same. The block that it proves is what
 * this browser believes from then on.
 */
export async function prove<T, V extends object>(
  {
    document,
    variables,
    ...place
  }: Omit<Question, 'document' | 'variables'> & {
    readonly document: TypedDocument<T, V>;
    readonly variables: V;
  },
  page: unknown,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  const question: Question = { document: String(document), variables: Object.fromEntries(Object.entries(variables)), ...place };
  try {
    const answer = await askWithProof<T>(question, signal);
    const { chainId, height } = question;
    const trust = keptTrust(chainId);
    const response = await inWorker(
      { answer, document: question.document, variables: question.variables, chainId, height: height?.toString(), trust },
      signal,
    );
    if ('isOlder' in response) throw new SteleError('PROOF_UNAVAILABLE', 'It is too old.', { facts: { reason: 'OLDER' } });
    if ('code' in response)
      return {
        kind: 'REFUTED',
        flaw: { code: response.code, message: response.message, field: response.field },
        answer,
        question,
      };
    const difference = page === undefined ? undefined : firstDifference(page, answer.data);
    if (difference !== undefined) {
      const message = 'The page showed another value for the same block than the answer that is proven.';
      return { kind: 'REFUTED', flaw: { code: 'OTHER_VALUE', message, field: difference }, answer, question };
    }
    keepTrust(response.report.chainId, response.trust);
    return { kind: 'PROVEN', report: response.report, answer, question };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'UNAVAILABLE', error: asFailure(error) };
  }
}

/** Saves an answer with its request, as `npx stele-verify` reads it. */
export function download({ answer, question: { document, variables, height } }: Exchange): void {
  const content = JSON.stringify({ request: { query: document, variables }, ...answer }, null, 2);
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = window.document.createElement('a');
  link.href = url;
  link.download = `answer-${answer.extensions?.proof?.height ?? height ?? 'newest'}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
