import {
  decodeBundle,
  decodeLightBlock,
  decodeValidators,
  equalBytes,
  type LightBlock,
  ProofError,
  readStoreRoot,
  toHex,
  type Verified,
  verify,
} from '@stele/verify';
import type { KeptTrust, ProofReport, Signer, StoreLink, VerifyRequest, VerifyResponse } from './report.ts';

// The worker that verifies answers. It believes nothing that the page or the server says but the block that the browser has kept.

/** A time in nanoseconds since 1970, RFC 3339 to the millisecond. */
const timeText = (time: bigint): string => new Date(Number(time / 1_000_000n)).toISOString();

/** The block that the browser believes. */
const blockOf = ({ header, commit, validators }: KeptTrust): LightBlock =>
  decodeLightBlock({ header, commit }, decodeValidators(validators));

function signersOf({ block: { set, commit, hash } }: Verified): readonly Signer[] {
  return set.validators.map(({ address, power }, index) => {
    const vote = commit.votes[index];
    const hasSigned = vote?.kind === 'BLOCK' && equalBytes(commit.blockId.hash, hash);
    return { address: toHex(address), power: power.toString(), hasSigned };
  });
}

/** The stores of a proof, with the keys that the fields of the answer were read from. */
function storesOf(proof: unknown, { fields }: Verified): readonly StoreLink[] {
  const bases = new Set([...fields.values()].flatMap(({ basis }) => basis));
  const keysOf = (name: string): number => [...bases].reduce((sum, { keys }) => sum + (keys[name] ?? 0), 0);
  return [...decodeBundle(proof).stores].map(([name, { proof: simple, tree }]) => ({
    ...{ name, root: toHex(readStoreRoot(simple, name).root), bytes: tree.length, keys: keysOf(name) },
  }));
}

/**
 * Whether a page of the past asked for a block before the trusted one, which other validators signed. Blocks are verified from earlier ones, so nothing leads back
 * to it. The height is the one that was asked for, because a server may send another.
 */
function isOlder(proof: unknown, height: bigint, { header, set }: LightBlock): boolean {
  return height + 1n < header.height && !equalBytes(decodeBundle(proof).header.validatorsHash, set.hash);
}

async function respond({ answer, document, variables, chainId, height, trust }: VerifyRequest): Promise<VerifyResponse> {
  const start = performance.now();
  const proof = answer.extensions?.proof;
  try {
    const trusted = trust === undefined ? undefined : blockOf(trust);
    if (trusted !== undefined && height !== undefined && isOlder(proof, BigInt(height), trusted)) return { isOlder: true };
    const verified = await verify(answer, { ...{ document, variables, chainId, height }, trust: trusted });
    const { header, set } = verified.block;
    const hash = toHex(verified.block.hash);
    const since = trust?.since ?? { height: header.height.toString(), hash, time: timeText(header.time) };
    const report: ProofReport = {
      chainId: verified.chainId,
      height: verified.height.toString(),
      time: timeText(verified.time),
      trust: verified.trust,
      since,
      validatorsHash: toHex(set.hash),
      signers: signersOf(verified),
      signedPower: verified.signedPower.toString(),
      totalPower: verified.totalPower.toString(),
      header: { height: header.height.toString(), hash, appHash: toHex(header.appHash), time: timeText(header.time) },
      stores: storesOf(proof, verified),
      requests: verified.requests.map(({ path }) => path),
      fields: [...verified.fields].map(([path, { level, basis, reason }]) => ({
        ...{ path, level, reason, methods: [...new Set(basis.map(({ method }) => method))] },
      })),
      milliseconds: performance.now() - start,
    };
    const nextTrust: KeptTrust =
      trust === undefined || trusted === undefined || header.height > trusted.header.height
        ? { header: proof?.header, commit: proof?.commit, validators: proof?.validators, since }
        : trust;
    return { report, trust: nextTrust };
  } catch (error) {
    if (error instanceof ProofError) return { code: error.code, message: error.message, field: error.field };
    // What is no proof is not one that verifies.
    return {
      code: 'MALFORMED',
      message: error instanceof Error ? error.message : 'The proof cannot be read.',
      field: undefined,
    };
  }
}

addEventListener('message', (event: MessageEvent<VerifyRequest>) => {
  void respond(event.data).then((response) => postMessage(response));
});
