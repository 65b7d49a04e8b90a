import { decodeHeader, hashHeader, ProofError, toHex } from '../../../packages/verify/src/index.ts';
import type { VerifiedHeader } from '../transports/verification.ts';
import { type JsonValue, malformed } from '../wire/json.ts';

/** The facts of a header that a node returned, whose hash must be this one. Throws NODE_INVALID_RESPONSE for another. */
export function checkHeader(json: JsonValue | undefined, hash: string): VerifiedHeader {
  try {
    const header = decodeHeader(json);
    if (toHex(hashHeader(header)) !== hash)
      throw malformed(`a header at height ${header.height} with another hash than the verified one`);
    const { height, time } = header;
    return { height, hash, time, appHash: toHex(header.appHash), lastHash: toHex(header.lastBlockId.hash) };
  } catch (error) {
    throw error instanceof ProofError ? malformed(`a header. ${error.message}`) : error;
  }
}
