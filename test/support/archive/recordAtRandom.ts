import type { PlainArchive } from './databases.ts';
import { type Dice, hashAt, type SimulatedBlock } from './simulation.ts';

/**
 * Records a history in random order: ranges that begin anywhere, and are filled until one range covers everything above its base, height 0. Calls `between` after
 * each part.
 */
export async function recordAtRandom(
  archive: PlainArchive,
  blocks: readonly SimulatedBlock[],
  dice: Dice,
  between: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const length = BigInt(blocks.length);
  const begin = (height: bigint) => {
    const facts = height === 0n ? [] : blocks[Number(height) - 1]!.start;
    return archive.begin({ height, hash: hashAt(height), facts });
  };
  const isCovered = (height: bigint): boolean =>
    archive.coverage().ranges.some(({ base, to }) => base <= height && height <= to);
  await begin(BigInt(dice.roll(blocks.length)));
  for (;;) {
    const { ranges } = archive.coverage();
    if (ranges.length === 1 && ranges[0]!.base === 0n && ranges[0]!.to === length) return;
    const base = dice.chance(0.2) ? 0n : BigInt(dice.roll(blocks.length));
    if (dice.chance(0.1) && !isCovered(base)) await begin(base);
    const { to } = dice.pick(archive.coverage().ranges);
    for (
      let height = to + 1n;
      height <= to + 20n && height <= length && archive.coverage().ranges.some((range) => range.to === height - 1n);
      height++
    )
      await archive.record(blocks[Number(height) - 1]!);
    await between();
  }
}
