import { z } from 'zod';
import { invalidParams } from '../../chain/rpc/rpcError.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { adminMethod } from './faults/adminMethod.ts';
import type { Faults } from './faults/faults.ts';
import type { DevnetNode } from './node.ts';

/** What the method turns. */
export interface AdminOf {
  readonly nodes: readonly DevnetNode[];
  /** The chain's newest block. */
  readonly height: bigint;
  /** Whether no block is made but by `commit`. */
  readonly halted: boolean;
  halt(): void;
  resume(): void;
  commit(options?: { readonly elapse?: number }): Promise<bigint>;
}

const milliseconds = z.int().min(0).max(3_600_000);
const answers = ['cut', 'garbage', 'badGateway', 'tooManyRequests', 'idless', 'never', 'reset', 'oversize'] as const;

/** The faults that are plain values; those that are functions are for tests in the same process. */
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
  noIndex: z.boolean().optional(),
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

function shown(given: Faults): JsonObject {
  const plain = Object.keys(faults.shape).map((name): [string, JsonValue] => {
    const value: unknown = Reflect.get(given, name);
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return [name, isPlain ? value : null];
  });
  return Object.fromEntries(plain);
}

/**
 * Turns knobs, and tells how all of them stand afterwards. `node` is the number of a node, from 0; without it the one that was asked.
 * In order: `heal`, `faults` (null turns one off), `lag` and `freeze`, `prune`, `closeSockets`, `restart` (down for so many
 * milliseconds, from when the answer is sent), `halt` of the whole chain, and `commit` of so many blocks, each `elapse` milliseconds of chain time
 * after the last. Throws an RpcError that names the parameter.
 */
export async function turnKnobs(devnet: AdminOf, asked: number, given: JsonValue | undefined): Promise<JsonObject> {
  const { success, data, error } = params.safeParse(given ?? {});
  if (!success) {
    const [issue] = error.issues;
    throw invalidParams(`${adminMethod}: ${issue?.path.join('.') || 'params'}: ${issue?.message}`);
  }
  const node = devnet.nodes[data.node ?? asked];
  if (node === undefined) throw invalidParams(`${adminMethod}: node: there are ${devnet.nodes.length}, from 0`);

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
      faults: shown(of),
    })),
  };
}

/** Takes a node down, and up again later. It answers what it was asked first. */
function restart(node: DevnetNode, down: number): void {
  setImmediate(async () => {
    await node.stop();
    setTimeout(() => void node.start(), down);
  });
}
