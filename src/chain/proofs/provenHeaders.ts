import { checkHeader } from '../lightClient/checkHeader.ts';
import type { Transport } from '../transports/transport.ts';
import type { HeadVerification, VerifiedHeader } from '../transports/verification.ts';
import { arrayAt, asObject, type JsonObject, type JsonValue, malformed, objectAt } from '../wire/json.ts';

/** The most headers between a verified block and an earlier one that is proven by it. A node returns 20 of them for a call. */
export const longestWalk = 1_000n;

/** The most headers in one answer of `blockchain`. */
const pageSize = 20n;

/** The most headers that are kept. */
const maxHeaders = 4_096;

/**
 * Creates the headers that verified blocks prove: their own, and those before them, because each header has the hash of the one before. The headers of a verified block need no call.
 */
export function createProvenHeaders({
  transport,
  verification,
}: {
  readonly transport: Transport;
  readonly verification: HeadVerification;
}) {
  const walked = new Map<bigint, VerifiedHeader>();

  function keep(header: VerifiedHeader): void {
    walked.set(header.height, header);
    for (const old of walked.keys()) {
      if (walked.size <= maxHeaders) break;
      walked.delete(old);
    }
  }

  const atHand = (height: bigint): VerifiedHeader | undefined => verification.at(height) ?? walked.get(height);

  /** Reads the headers below one that is at hand, down to a height, or 20 of them. Returns the lowest. */
  async function readBelow(above: VerifiedHeader, height: bigint, signal: AbortSignal | undefined): Promise<VerifiedHeader> {
    const top = above.height - 1n;
    const bottom = top - height >= pageSize ? top - pageSize + 1n : height;
    const decode = (json: JsonValue): VerifiedHeader => {
      let lowest = above;
      const headers = arrayAt(asObject(json, 'blockchain'), 'block_metas').map(
        (meta): JsonObject => objectAt(asObject(meta, 'block meta'), 'header'),
      );
      for (const header of headers) {
        const next = checkHeader(header, lowest.lastHash);
        keep(next);
        lowest = next;
      }
      if (lowest.height !== bottom) throw malformed(`headers down to height ${lowest.height} instead of ${bottom}`);
      return lowest;
    };
    const params = { minHeight: bottom.toString(), maxHeight: top.toString() };
    return transport.call('blockchain', params, { height: top, signal, decode });
  }

  return {
    atHand,
    /**
     * The header at a height; undefined if no verified block is above it, or none that is near enough. Rejects with HEIGHT_PRUNED or NODE_… if nodes do not return the headers in between.
     */
    async at(height: bigint, signal?: AbortSignal): Promise<VerifiedHeader | undefined> {
      const header = atHand(height);
      if (header !== undefined) return header;
      const newest = verification.status().newest;
      if (newest === undefined || height > newest.height) return undefined;
      let above: VerifiedHeader | undefined;
      for (let next = height + 1n; above === undefined && next <= height + longestWalk; next += 1n) above = atHand(next);
      while (above !== undefined && above.height > height) above = await readBelow(above, height, signal);
      return above;
    },
    clear: (): void => walked.clear(),
  };
}
