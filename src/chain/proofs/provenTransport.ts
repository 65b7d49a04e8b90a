import { equalBytes } from '../../../packages/verify/src/index.ts';
import type { MethodAnswer } from '../../../packages/verify/src/plans/index.ts';
import { isPrunedLog } from '../rpc/rpcErrors.ts';
import { type CallOptions, type Transport, withCalls } from '../transports/transport.ts';
import { asObject, bytesAt, intAt, type JsonObject, type JsonValue, objectAt, textAt } from '../wire/json.ts';
import { type ChainProofs, planOf, Unproven, type UnprovenReason } from './proofs.ts';

/** How a read of the state was answered: from proven bytes, or as a node said, and why. */
export type ReadLevel = 'PROVEN' | UnprovenReason;

/** The response of `abci_query` that says a proven answer. */
function responseOf(answer: MethodAnswer, height: bigint): JsonObject {
  const base = {
    code: 0,
    log: '',
    info: '',
    index: '0',
    key: null,
    value: null,
    proofOps: null,
    height: height.toString(),
    codespace: '',
  };
  if ('refusal' in answer) return { response: { ...base, ...answer.refusal } };
  const { value } = answer;
  return { response: { ...base, value: Buffer.from(value).toString('base64') } };
}

/** The codes by which a module refuses a query because of the state: those of `sdk` for an unknown request and an absent key. */
const refusalCodes: ReadonlySet<number> = new Set([6, 22]);

/** Whether a node has answered otherwise than the state says. A node that could not answer has not. */
function contradicts(json: JsonValue, answer: MethodAnswer, height: bigint): boolean {
  const response = objectAt(asObject(json, 'result'), 'response');
  const [code, codespace, log] = [intAt(response, 'code'), textAt(response, 'codespace'), textAt(response, 'log')];
  if (code === 0) {
    if (response.height !== height.toString()) return false;
    return 'refusal' in answer || !equalBytes(bytesAt(response, 'value') ?? new Uint8Array(), answer.value);
  }
  // The node refused by itself: pruned, too high, overloaded.
  if (codespace !== 'sdk' || !refusalCodes.has(code) || isPrunedLog(log) || response.height !== height.toString()) return false;
  return !('refusal' in answer) || answer.refusal.code !== code || answer.refusal.log !== log;
}

/**
 * Makes a transport to the same nodes whose answers about the state are proven, as far as there is a plan for them: they are computed from proven bytes. If anything had to be read for it, the
 * node's own answer is compared, and `onContradiction` is called if it differs. What cannot be proven is what a node says; `count` hears why.
 */
export function provenTransport(
  transport: Transport,
  proofs: ChainProofs,
  {
    count,
    onContradiction,
  }: {
    readonly count: (level: ReadLevel, path: string) => void;
    readonly onContradiction: (
      result: JsonValue,
      read: { readonly path: string; readonly request: string; readonly height: bigint; readonly answer: JsonObject },
    ) => void;
  },
): Transport {
  async function prove<T>(
    path: string,
    {
      call,
      params,
      options,
    }: { readonly call: Transport['call']; readonly params: JsonObject; readonly options: CallOptions<T> },
  ): Promise<T> {
    const plan = planOf(path);
    const { data, height: heightText } = params;
    const height = typeof heightText === 'string' ? BigInt(heightText) : 0n;
    const assertedRead = (reason: UnprovenReason): Promise<T> => {
      count(reason, path);
      return call('abci_query', params, options);
    };
    // A question about the methods of the application, or the newest state of one node: no height is read.
    if (height <= 0n) return call('abci_query', params, options);
    if (plan === undefined || typeof data !== 'string') return assertedRead('NO_PLAN');
    const { signal } = options;
    let ownAnswer: Promise<JsonValue | undefined> | undefined;
    const onMiss = (): void => {
      // It is compared with the proven answer, so not with that of other nodes.
      const decode = (json: JsonValue): JsonValue => json;
      ownAnswer ??= call('abci_query', params, { ...options, compares: false, decode }).catch(() => undefined);
    };
    let answer: MethodAnswer;
    try {
      answer = await proofs.answer(plan, Buffer.from(data, 'hex'), height, { signal, onMiss });
    } catch (error) {
      if (error instanceof Unproven) return assertedRead(error.reason);
      throw error;
    }
    count('PROVEN', path);
    const json = responseOf(answer, height);
    const said = await ownAnswer;
    if (said !== undefined && contradicts(said, answer, height))
      onContradiction(said, { path, request: data, height, answer: json });
    return options.decode(json);
  }

  return withCalls(transport, (call, isOneNode) => {
    const wrapped: Transport['call'] = (method, params, options) => {
      const { path, prove: isProof } = params;
      if (isOneNode || method !== 'abci_query' || isProof === true || typeof path !== 'string' || !path.includes('.Query/'))
        return call(method, params, options);
      return prove(path, { call, params, options });
    };
    return wrapped;
  });
}
