import { createInFlight } from '../memory/inFlight.ts';
import { deepFrozen, type MemoryBudget, valueBytes } from '../memory/memoryBudget.ts';
import type { Transport } from '../transports/transport.ts';
import { arrayAt, asObject, bigintAt, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';
import type { Head } from './head.ts';

/** An entry of a validator set. `address` is upper case hex. */
export interface SetMember {
  readonly address: string;
  /** `type` as on the wire (`tendermint/PubKeyEd25519`), `value` in base64. */
  readonly publicKey: { readonly type: string; readonly value: string };
  readonly votingPower: bigint;
  readonly proposerPriority: bigint;
}

/** A whole validator set, by descending power and then by address, as the node sorts it. Deeply frozen and shared. */
export type ValidatorSet = readonly SetMember[];

/** The validator sets of a chain. */
export type ValidatorSets = ReturnType<typeof createValidatorSets>;

/** The largest page of a node. */
const pageSize = 100;

export function createValidatorSets(options: {
  readonly head: Pick<Head, 'generation'>;
  readonly transport: Pick<Transport, 'call'>;
  readonly memory: MemoryBudget;
}) {
  const { head, transport, memory } = options;
  const sets = memory.cache<ValidatorSet>('blocks', 'validators', valueBytes);
  const inFlight = createInFlight<ValidatorSet>();
  let cleared = 0;

  /**
   * Reads a set: one call for every 100 validators. The height is always sent: without it the node returns the set for the block after the newest.
   */
  async function read(height: bigint, signal: AbortSignal): Promise<ValidatorSet> {
    const set: SetMember[] = [];
    for (let page = 1; ; page += 1) {
      const params = { height: height.toString(), page: page.toString(), per_page: pageSize.toString() };
      const decode = (json: JsonValue) => decodePage(json, height);
      const { members, total } = await transport.call('validators', params, { height, signal, decode });
      set.push(...members);
      if (members.length === 0 || BigInt(set.length) >= total) return deepFrozen(set);
    }
  }

  return {
    /**
     * The set that signs the block at a height: at once if it is in memory. Never throws. Equal reads in progress are joined, because one block may be
     * the event of many subscriptions.
     */
    at(height: bigint, signal?: AbortSignal): ValidatorSet | Promise<ValidatorSet> {
      const key = height.toString();
      const inMemory = signal?.aborted ? undefined : sets.get(key);
      if (inMemory !== undefined) return inMemory;
      const generationAtStart = `${head.generation()} ${cleared}`;
      return inFlight.join(`${generationAtStart} ${key}`, signal, async (joinedSignal) => {
        const set = await read(height, joinedSignal);
        if (generationAtStart === `${head.generation()} ${cleared}`) sets.set(key, set);
        return set;
      });
    },
    /** Removes all sets, because the nodes that returned them were wrong or the newest block was withdrawn. */
    clear(): void {
      sets.clear();
      cleared += 1;
    },
  };
}

function decodePage(json: JsonValue, height: bigint) {
  const result = asObject(json, 'validators');
  const replied = bigintAt(result, 'block_height');
  if (replied !== height) throw malformed(`validators returned height ${replied} instead of ${height}`);
  const members = arrayAt(result, 'validators').map((item) => {
    const member = asObject(item, 'validator');
    const key = objectAt(member, 'pub_key');
    return {
      address: textAt(member, 'address'),
      publicKey: { type: textAt(key, 'type'), value: textAt(key, 'value') },
      votingPower: bigintAt(member, 'voting_power'),
      proposerPriority: bigintAt(member, 'proposer_priority'),
    };
  });
  return { members, total: bigintAt(result, 'total') };
}
