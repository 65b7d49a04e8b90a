import type { Client } from '../../chain/client.ts';
import { asObject, bigintAt, booleanAt, malformed, objectAt, textAt } from '../../chain/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/json.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import { internalError } from '../../chain/rpc/rpcError.ts';
import { type Call, type Handler, headOf } from './call.ts';
import type { KeptResults } from './keptResults.ts';

/** The height that a header is of; of another chain it is malformed. */
function heightOfHeader(header: JsonObject, chainId: string): bigint {
  if (textAt(header, 'chain_id') !== chainId) throw malformed('a block of another chain');
  return bigintAt(header, 'height');
}

type ByHeight = 'block' | 'block_results' | 'commit' | 'header' | 'validators' | 'consensus_params';

/** The height that a result is of. */
function heightIn(method: ByHeight, result: JsonObject, chainId: string): bigint {
  switch (method) {
    case 'block':
      return heightOfHeader(objectAt(objectAt(result, 'block'), 'header'), chainId);
    case 'header':
      return heightOfHeader(objectAt(result, 'header'), chainId);
    case 'commit':
      return heightOfHeader(objectAt(objectAt(result, 'signed_header'), 'header'), chainId);
    case 'block_results':
      return bigintAt(result, 'height');
    case 'validators':
    case 'consensus_params':
      return bigintAt(result, 'block_height');
  }
}

/** Of these two the block after the newest is known already, and is what a call without a height gets (chain.md finding 15). */
const knowsNext: readonly ByHeight[] = ['validators', 'consensus_params'];

/** The methods that read by height: a result at a height is read once and kept. */
export function createBlockHandlers(client: Client, kept: KeptResults): Readonly<Record<ByHeight, Handler>> {
  /** The height that a call names, else the one it is pinned to. Throws in the node's words. */
  async function heightOf({ method, args, signal, height }: Call, next: bigint) {
    const head = await headOf(client, signal);
    const newest = head.height + next;
    const asked = args.optional('height') ?? height ?? newest;
    if (asked <= 0n) throw internalError(`height must be greater than 0, but got ${asked}`);
    if (asked > newest) {
      throw internalError(`height ${asked} must be less than or equal to the current blockchain height ${newest}`);
    }
    return { head, method, height: asked };
  }

  const byHeight =
    (method: ByHeight): Handler =>
    async (call) => {
      const { head, height } = await heightOf(call, knowsNext.includes(method) ? 1n : 0n);
      const { args, signal } = call;
      const rest = pageOf(args);
      let passing = false;
      const read = (result: JsonValue): { readonly text: string; readonly keep: boolean } => {
        const answered = heightIn(method, asObject(result, method), head.chainId);
        if (answered !== height) throw malformed(`${method} of height ${answered} in place of ${height}`);
        const isFinal = method !== 'commit' || booleanAt(asObject(result, method), 'canonical');
        passing ||= !isFinal;
        return { text: stringify(result), keep: isFinal };
      };
      const key = `${method} ${height} ${rest.page ?? ''} ${rest.per_page ?? ''}`;
      const text = await kept.read(key, signal, (joined) =>
        client.call(
          method,
          { height: height.toString(), ...rest },
          { height: height < head.height ? height : head.height, signal: joined, decode: read },
        ),
      );
      return { result: { text }, height, passing };
    };

  return {
    block: byHeight('block'),
    block_results: byHeight('block_results'),
    commit: byHeight('commit'),
    header: byHeight('header'),
    validators: byHeight('validators'),
    consensus_params: byHeight('consensus_params'),
  };
}

function pageOf(args: Call['args']): { readonly page?: string; readonly per_page?: string } {
  const page = args.optional('page')?.toString();
  const perPage = args.optional('per_page')?.toString();
  return { ...(page !== undefined && { page }), ...(perPage !== undefined && { per_page: perPage }) };
}
