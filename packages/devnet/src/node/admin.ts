import { z } from 'zod';
import { invalidParams } from '../../../../src/chain/rpc/rpcErrors.ts';
import type { JsonObject, JsonValue } from '../../../../src/chain/wire/json.ts';
import { lieKinds, lieProofs } from '../abci/abci.ts';
import { adminMethod } from './faults/adminMethod.ts';
import { headerForgeries } from './faults/falseHeaders.ts';
import type { Faults } from './faults/faults.ts';
import type { DevnetNode } from './node.ts';

/** The chain that the method controls. */
export interface AdminTarget {
  readonly nodes: readonly DevnetNode[];
  /** The chain's newest block. */
  readonly height: bigint;
  /** Whether only `commit` creates blocks. */
  readonly halted: boolean;
  halt(): void;
  resume(): void;
  commit(options?: { readonly elapse?: number }): Promise<bigint>;
}

const milliseconds = z.int().min(0).max(3_600_000);
const answers = ['cut', 'garbage', 'badGateway', 'tooManyRequests', 'idless', 'never', 'reset', 'oversize'] as const;

/** The faults that are plain values. Faults that are functions are only for tests in the same process. */
const faults = z.strictObject({
  delay: milliseconds.optional(),
  answer: z.enum(answers).nullable().optional(),
  retryAfter: z.int().min(0).optional(),
  dropTransactions: z.boolean().optional(),
  withholdTransactions: z.boolean().optional(),
  pretendCommits: z.boolean().optional(),
  silentSockets: z.boolean().optional(),
  lateAck: z.boolean().optional(),
  chainId: z.string().min(1).nullable().optional(),
  catchingUp: z.boolean().optional(),
  endlessSimulations: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  lie: z
    .strictObject({
      kind: z.enum(lieKinds),
      proofs: z.enum(lieProofs).default('true'),
      headers: z.enum(headerForgeries).optional(),
    })
    .nullable()
    .optional(),
  changes: z
    .strictObject({ seed: z.int().min(0), share: z.number().min(0).max(1) })
    .nullable()
    .optional(),
});

const params = z.strictObject({
  node: z.int().min(0).optional(),
  heal: z.literal(true).optional(),
  faults: faults.optional(),
  lag: z.int().min(0).optional(),
  freeze: z.boolean().optional(),
  prune: z.strictObject({ height: z.int().min(1), blocks: z.boolean().optional() }).optional(),
  closeSockets: z.literal(true).optional(),
  restart: milliseconds.optional(),
  halt: z.boolean().optional(),
  commit: z.int().min(1).max(1_000).optional(),
  elapse: milliseconds.optional(),
});

function shownValue(value: unknown): JsonValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shownValue(member)]));
}

function shownFaults(current: Faults): JsonObject {
  const plain = Object.keys(faults.shape).map((name): [string, JsonValue] => {
    const value: unknown = Reflect.get(current, name);
    return [name, shownValue(value)];
  });
  return Object.fromEntries(plain);
}

/**
 * Executes the admin method: injects faults into a node and controls blocks. Returns the state of the chain and the faults of
 * all nodes. `node` is the number of a node, from 0; by default the node that received the call. Applied in this order: `heal`,
 * `faults` (null disables a fault), `lag` and `freeze`, `prune`, `closeSockets`, `restart` (stops the node for that many
 * milliseconds, after the response), `halt` of the whole chain, and `commit` of that many blocks, each `elapse` milliseconds of
 * chain time after the previous one. Throws an RpcError that names the invalid parameter.
 */
export async function runAdminMethod(
  devnet: AdminTarget,
  receiver: number,
  rawParams: JsonValue | undefined,
): Promise<JsonObject> {
  const { success, data, error } = params.safeParse(rawParams ?? {});
  if (!success) {
    const [issue] = error.issues;
    throw invalidParams(`${adminMethod}: ${issue?.path.join('.') || 'params'}: ${issue?.message}`);
  }
  const node = devnet.nodes[data.node ?? receiver];
  if (node === undefined) throw invalidParams(`${adminMethod}: node: must be from 0 to ${devnet.nodes.length - 1}`);

  if (data.heal) node.heal();
  for (const [name, value] of Object.entries(data.faults ?? {})) Object.assign(node.faults, { [name]: value ?? undefined });
  if (data.lag !== undefined) node.lag(data.lag);
  if (data.freeze === true) node.freeze();
  if (data.freeze === false) node.thaw();
  if (data.prune) node.prune(BigInt(data.prune.height), { blocks: data.prune.blocks ?? false });
  if (data.closeSockets) node.closeSockets();
  if (data.restart !== undefined) restart(node, data.restart);
  if (data.halt === true) devnet.halt();
  if (data.halt === false) devnet.resume();
  const { elapse } = data;
  for (let left = data.commit ?? 0; left > 0; left -= 1) await devnet.commit(elapse === undefined ? {} : { elapse });
  return {
    height: devnet.height.toString(),
    halted: devnet.halted,
    nodes: devnet.nodes.map(({ moniker, url, height, faults: of }) => ({
      moniker,
      url,
      height: height.toString(),
      faults: shownFaults(of),
    })),
  };
}

/** Stops a node after the response is sent, and starts it again later. */
function restart(node: DevnetNode, down: number): void {
  setImmediate(async () => {
    await node.stop();
    setTimeout(() => void node.start(), down);
  });
}
