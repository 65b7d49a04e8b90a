/** The number of names that are remembered at most. Each takes four bytes. */
const slots = 2 ** 16;

/**
 * Creates an empty table of names that were seen. It has a fixed size, so it forgets names over time: a name replaces another one in the same slot. It
 * practically never takes one for another.
 */
export function createSeenNames() {
  let marks: Uint32Array | undefined;
  return {
    /** Notes a name. Returns whether it was noted before and not forgotten. */
    note(name: string): boolean {
      let slot = 0;
      let mark = 0x811c9dc5;
      for (let at = 0; at < name.length; at += 1) {
        const code = name.charCodeAt(at);
        slot = (Math.imul(slot, 31) + code) | 0;
        mark = Math.imul(mark ^ code, 0x01000193);
      }
      // A mark of 0 is an empty slot.
      const ownMark = mark >>> 0 || 1;
      const place = (slot ^ (slot >>> 16)) & (slots - 1);
      marks ??= new Uint32Array(slots);
      const isSeen = marks[place] === ownMark;
      marks[place] = ownMark;
      return isSeen;
    },
  };
}
