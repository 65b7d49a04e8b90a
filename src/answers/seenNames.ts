/** Names that were seen, in a table of fixed size. It forgets names over time, and practically never takes one for another. */
export interface SeenNames {
  /** Notes a name. Returns whether it was noted before and not forgotten. */
  note(name: string): boolean;
}

/** The number of names that are remembered at most. Each takes four bytes. */
const slots = 2 ** 16;

/** Creates an empty table. A name replaces another one in the same slot. */
export function createSeenNames(): SeenNames {
  let marks: Uint32Array | undefined;
  return {
    note(name) {
      let slot = 0;
      let mark = 0x811c9dc5;
      for (let at = 0; at < name.length; at += 1) {
        const code = name.charCodeAt(at);
        slot = (Math.imul(slot, 31) + code) | 0;
        mark = Math.imul(mark ^ code, 0x01000193);
      }
      // A mark of 0 is an empty slot.
      const own = mark >>> 0 || 1;
      const place = (slot ^ (slot >>> 16)) & (slots - 1);
      marks ??= new Uint32Array(slots);
      const isSeen = marks[place] === own;
      marks[place] = own;
      return isSeen;
    },
  };
}
