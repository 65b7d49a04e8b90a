import { hash } from 'node:crypto';
import type { Client } from '../chain/client.ts';
import type { NamedRead } from '../chain/roots/followedReads.ts';
import type { Carried } from '../chain/state/state.ts';
import { tagOfAll } from '../config/bounds.ts';

/** The most tags whose reads are known, and the most that caches may have. Beyond them, answers have the tags of their stores. */
const maxTags = 20_000;

/** A read with the newest height that it is known to be the same at. */
interface SentRead {
  readonly read: NamedRead;
  height: bigint;
}

/** The tags of answers: one for each read that an answer was computed from, and those that caches may have. */
export interface CacheTags {
  /** The tags of an answer, in alphabetical order. The first is that of all answers. `answers` is how many times they are sent. */
  of(carried: Carried, answers?: number): readonly string[];
  /**
   * Notes that a cache may keep an answer of a height with these tags. Returns whether it may: whether each read is known to be the same at the newest height, and
   * its changes will be noticed.
   */
  send(tags: readonly string[], height: bigint): boolean;
  /** The tags that caches may have, and whose reads may have changed up to a height. They are forgotten. */
  changed(height: bigint): readonly string[];
  /** Forgets the tags that caches may have. Returns whether there were any. */
  clear(): boolean;
}

/** Creates the tags of one process. `most` is the most tags of one answer. */
export function createCacheTags(client: Pick<Client, 'head' | 'roots'>, most: number): CacheTags {
  const { head, roots } = client;
  /** Reads by their tags. The oldest one is dropped. */
  const reads = new Map<string, NamedRead>();
  /** The tags that caches may have, by the lists of stores of their reads. */
  const sentReads = new Map<readonly string[], Map<string, SentRead>>();
  const storeReads = new Map<string, NamedRead>();
  let sentCount = 0;

  /** A read of a whole store. */
  function storeRead(store: string): NamedRead {
    const read = storeReads.get(store) ?? { name: '', stores: [store] };
    storeReads.set(store, read);
    return read;
  }

  function add(tag: string, read: NamedRead): void {
    reads.delete(tag);
    reads.set(tag, read);
    for (const oldest of reads.keys()) {
      if (reads.size <= maxTags) break;
      reads.delete(oldest);
    }
  }

  function isSame(read: NamedRead, from: bigint, to: bigint): boolean {
    const key = roots.keyAt(to, read.stores);
    if (key === undefined) return false;
    return from === to || key === roots.keyAt(from, read.stores) || (read.name !== '' && roots.areSame([read], from, to));
  }

  return {
    of({ stores, named }, answers = 1) {
      const tagged = new Map<string, NamedRead>();
      const addStores = (names: readonly string[]): void => {
        for (const store of names) tagged.set(`${tagOfAll}-${store}`, storeRead(store));
      };
      for (const read of named) {
        if (read.name === '') addStores(read.stores);
        else tagged.set(`${tagOfAll}-${hash('sha256', read.name, 'hex').slice(0, 16)}`, read);
      }
      if (tagged.size * answers > most || sentCount + tagged.size > maxTags) {
        tagged.clear();
        addStores(stores);
      }
      for (const [tag, read] of tagged) add(tag, read);
      return [tagOfAll, ...[...tagged.keys()].sort()];
    },
    send([, ...tags], height) {
      const newest = head.current()?.height;
      if (newest === undefined || tags.length === 0) return false;
      const knownReads = tags.map((tag) => reads.get(tag));
      if (!knownReads.every((read) => read !== undefined && isSame(read, height, newest))) return false;
      for (const [index, tag] of tags.entries()) {
        const read = knownReads[index];
        if (read === undefined) continue;
        const ofStores = sentReads.get(read.stores) ?? new Map<string, SentRead>();
        sentReads.set(read.stores, ofStores);
        if (ofStores.has(tag)) continue;
        ofStores.set(tag, { read, height: newest });
        sentCount += 1;
      }
      return true;
    },
    changed(height) {
      const tags: string[] = [];
      for (const [stores, ofStores] of sentReads) {
        for (const [tag, sentRead] of ofStores) {
          if (sentRead.height >= height) continue;
          if (isSame(sentRead.read, sentRead.height, height)) {
            sentRead.height = height;
            continue;
          }
          ofStores.delete(tag);
          sentCount -= 1;
          tags.push(tag);
        }
        if (ofStores.size === 0) sentReads.delete(stores);
      }
      return tags.sort();
    },
    clear() {
      const hadTags = sentCount > 0;
      sentReads.clear();
      sentCount = 0;
      return hadTags;
    },
  };
}
