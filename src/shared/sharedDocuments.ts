import { createStoreWait } from '../chain/state/stateStore.ts';
import type { SharedStore } from './sharedStore.ts';

/** How long a document stays in the store after it was added, in ms. Clients send it again after that. */
const documentTime = 7 * 24 * 60 * 60_000;

const group = 'documents';

/** Creates the documents that clients have sent with their hashes to any process. They are stored for seven days. A request waits `longest` ms for one. */
export function createSharedDocuments(
  store: SharedStore,
  longest: number,
): {
  get(hash: string): Promise<string | undefined>;
  add(hash: string, text: string): void;
} {
  return {
    async get(hash) {
      const bytes = await createStoreWait().within(longest, () => store.get(group, hash));
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    },
    add: (hash, text) => void store.put(group, hash, Buffer.from(text), documentTime),
  };
}
