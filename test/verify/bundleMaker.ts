import {
  type AnswerContext,
  type BundleJson,
  concat,
  createPartialTree,
  type Explanation,
  explained,
  fromBase64,
  type PartialTree,
  type Question,
  readStoreRoot,
  type TreeRead,
} from '../../packages/verify/src/entry/index.ts';
import type { StoreReads } from '../../packages/verify/src/plans/index.ts';
import { parseTime } from '../../src/chain/base/time.ts';
import { arrayAt, asObject, type JsonObject, objectAt, textAt } from '../../src/chain/wire/json.ts';

/** An answer as a server sends it, with its proof. */
export interface ProvenAnswer {
  readonly data: unknown;
  readonly errors?: unknown;
  readonly extensions: { readonly proof: BundleJson; readonly height?: string };
}

/** Calls a method of a node. */
export type NodeCall = (method: string, params: JsonObject) => Promise<JsonObject>;

/** A call of the node at a URL. */
export const nodeCall =
  (url: string): NodeCall =>
  async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const json = asObject(await response.json(), 'the response');
    return objectAt(json, 'result');
  };

interface Store {
  readonly tree: PartialTree;
  readonly simple: string;
}

/** Proves what computations read of the state at one height. */
export interface Prover {
  readonly context: AnswerContext;
  /** Computes an answer from proven stores, and adds its proof. */
  prove(
    answer: { readonly data: unknown; readonly errors?: unknown },
    question: Question,
  ): Promise<{ readonly answer: ProvenAnswer; readonly explanation: Explanation }>;
}

/** Creates a prover of a height with the proofs of a node, which are read once. */
export async function createProver(call: NodeCall, height: bigint): Promise<Prover> {
  const [before, next, { validators }] = await Promise.all([
    call('commit', { height: String(height) }),
    call('commit', { height: String(height + 1n) }),
    call('validators', { height: String(height + 1n), per_page: '100' }),
  ]);
  const previous = objectAt(objectAt(before, 'signed_header'), 'header');
  const { header, commit } = objectAt(next, 'signed_header');
  const context: AnswerContext = { prefix: 'tp', time: parseTime(textAt(previous, 'time')), height };
  const stores = new Map<string, Promise<Store>>();

  async function proofOf(store: string, key: Uint8Array): Promise<readonly [iavl: Uint8Array, simple: string]> {
    const data = Buffer.from(key).toString('hex');
    const result = await call('abci_query', { path: `/store/${store}/key`, data, height: String(height), prove: true });
    const ops = arrayAt(objectAt(objectAt(result, 'response'), 'proofOps'), 'ops').map((op) => asObject(op, 'an operation'));
    return [fromBase64(textAt(ops[0]!, 'data'), 'a proof'), textAt(ops[1]!, 'data')];
  }

  function storeOf(name: string): Promise<Store> {
    const opened =
      stores.get(name) ??
      proofOf(name, Uint8Array.of(255)).then(([, simple]): Store => {
        const { root } = readStoreRoot(fromBase64(simple, 'a proof'), name);
        return { tree: createPartialTree(root), simple };
      });
    stores.set(name, opened);
    return opened;
  }

  async function insert(name: string, key: Uint8Array): Promise<void> {
    const { tree } = await storeOf(name);
    const [iavl] = await proofOf(name, key);
    tree.insert(iavl);
  }

  /** Reads that are proven before they are answered. `see` hears of each. */
  const readsFor = (see: (store: string, read: TreeRead) => void): StoreReads => ({
    async get(name, key) {
      const { tree } = await storeOf(name);
      if (tree.get(key) === undefined) await insert(name, key);
      see(name, { key });
      return tree.get(key) ?? null;
    },
    async range(name, prefix, bounds) {
      const { tree } = await storeOf(name);
      for (;;) {
        const { rows, isComplete } = tree.range(prefix, bounds);
        if (isComplete) {
          see(name, { prefix, bounds });
          return rows;
        }
        const last = rows.at(-1)?.[0];
        await insert(name, last === undefined ? (bounds.from ?? prefix) : concat(last, Uint8Array.of(0)));
      }
    },
  });

  return {
    context,
    async prove(answer, question) {
      const touched = new Map<string, TreeRead[]>();
      const see = (store: string, read: TreeRead): void => {
        touched.set(store, [...(touched.get(store) ?? []), read]);
      };
      const explanation = await explained(answer, question, readsFor(see), context);
      const parts = [...touched].map(async ([name, reads]) => {
        const { tree, simple } = await storeOf(name);
        return [name, { proof: simple, tree: Buffer.from(tree.encode(reads)).toString('base64') }] as const;
      });
      const proof: BundleJson = {
        version: 1,
        chainId: textAt(previous, 'chain_id'),
        prefix: 'tp',
        height: String(height),
        header,
        commit,
        validators,
        previous,
        stores: Object.fromEntries(await Promise.all(parts)),
        reads: explanation.requests.map(({ path, request }) => ({ path, request: Buffer.from(request).toString('base64') })),
        fields: Object.fromEntries([...explanation.fields].map(([path, { level }]) => [path, level])),
      };
      return { answer: { ...answer, extensions: { proof, height: String(height) } }, explanation };
    },
  };
}
