import {
  createPartialTree,
  equalBytes,
  type PartialTree,
  ProofError,
  readStoreRoot,
  type TreeRead,
} from '../../../packages/verify/src/index.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import { type JsonValue, malformed } from '../wire/json.ts';
import type { ProvenState } from './answerProofs.ts';
import type { SignedState } from './signedHeaders.ts';

/** A store at one height: the proof of its root, and the part of its tree that is proven. */
interface ProvenStore {
  readonly simple: Uint8Array;
  readonly tree: PartialTree;
  readonly reads: TreeRead[];
}

function otherKey(store: string): ProofError {
  return new ProofError('NOT_PROVEN', `The proof of store ${store} is one of another key.`);
}

/** Creates what begins proven reads, which read each key from a node with its proof. */
export function createProvenReads(transport: Pick<Transport, 'call'>) {
  return ({ height, appHash }: SignedState, signal: AbortSignal | undefined): ProvenState => {
    const stores = new Map<string, ProvenStore>();

    /** Reads the proof of a key, or of its absence, and adds it to the tree of its store. */
    async function prove(store: string, key: Uint8Array): Promise<ProvenStore> {
      const params = {
        path: `/store/${store}/key`,
        data: Buffer.from(key).toString('hex'),
        height: height.toString(),
        prove: true,
      };
      const decode = (result: JsonValue): ProvenStore => {
        const { proofOps } = decodeAbciReply(result, height);
        const [iavl, simple] = ['ics23:iavl', 'ics23:simple'].map((type) => proofOps.find((op) => op.type === type)?.data);
        if (iavl === undefined || simple === undefined) throw malformed(`a key of store ${store} without a proof`);
        const top = readStoreRoot(simple, store);
        if (!equalBytes(top.appHash, appHash))
          throw new ProofError('NOT_PROVEN', `The proof of store ${store} has another root.`);
        const ownStore = stores.get(store) ?? { simple, tree: createPartialTree(top.root), reads: [] };
        ownStore.tree.insert(iavl);
        stores.set(store, ownStore);
        return ownStore;
      };
      return transport.call('abci_query', params, { height, signal, decode });
    }

    return {
      reads: {
        async get(store, key) {
          let value = stores.get(store)?.tree.get(key);
          const ownStore = value === undefined ? await prove(store, key) : stores.get(store);
          if (value === undefined) value = ownStore?.tree.get(key);
          if (value === undefined) throw otherKey(store);
          ownStore?.reads.push({ key });
          return value;
        },
        async range(store, prefix, bounds) {
          let ownStore = stores.get(store) ?? (await prove(store, bounds.from ?? prefix));
          let range = ownStore.tree.range(prefix, bounds);
          while (!range.isComplete) {
            const last = range.rows.at(-1)?.[0];
            ownStore = await prove(store, last === undefined ? (bounds.from ?? prefix) : Uint8Array.of(...last, 0));
            const before = range.rows.length;
            range = ownStore.tree.range(prefix, bounds);
            // A proof of another key adds nothing.
            if (!range.isComplete && range.rows.length === before) throw otherKey(store);
          }
          ownStore.reads.push({ prefix, bounds });
          return range.rows;
        },
      },
      stores: () =>
        Object.fromEntries(
          [...stores].map(([name, { simple, tree, reads }]) => [
            name,
            {
              proof: Buffer.from(simple).toString('base64'),
              tree: Buffer.from(tree.encode(reads)).toString('base64'),
            },
          ]),
        ),
    };
  };
}
