/** The number of names that are remembered at most. Each takes four bytes. */
const slots = 2 ** 16;

/** The slots that a name may be in. With as many, names that are noted in turn rarely replace one another before the table is nearly full. */
const slotsOfName = 8;

/**
 * Creates an empty table of names that were seen. It has a fixed size, so it forgets names over time: a name replaces the oldest one in its slots. It
 * practically never takes one for another.
 */
export function createSeenNames() {
  let marks: Uint32Array | undefined;
  return {
    /** Notes a name. Returns whether it was noted before and not forgotten. */
    note(name: string): boolean {
      let place = 0;
      let mark = 0x811c9dc5;
      for (let at = 0; at < name.length; at += 1) {
        const code = name.charCodeAt(at);
        place = (Math.imul(place, 31) + code) | 0;
        mark = Math.imul(mark ^ code, 0x01000193);
      }
      // A mark of 0 is an empty slot.
      const ownMark = mark >>> 0 || 1;
      const first = ((place ^ (place >>> 16)) & (slots / slotsOfName - 1)) * slotsOfName;
      marks ??= new Uint32Array(slots);
      for (let slot = first; slot < first + slotsOfName; slot += 1) if (marks[slot] === ownMark) return true;
      marks.copyWithin(first + 1, first, first + slotsOfName - 1);
      marks[first] = ownMark;
      return false;
    },
  };
}
