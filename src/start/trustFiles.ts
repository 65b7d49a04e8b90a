import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { Evidence, TrustRecord } from '../chain/lightClient/lightClient.ts';
import type { AnswerEvidence } from '../chain/transports/quorum.ts';
import type { Checkpoint } from '../chain/transports/verification.ts';
import { arrayAt, asObject, bigintAt, type JsonObject, malformed, objectAt, parseJson, textAt } from '../chain/wire/json.ts';

/** The most files of evidence that one process writes. A node that lies all the time must not fill the disk. */
const maxEvidence = 1_000;

/** The longest chain id of CometBFT. A node may report any text. */
const maxChainId = 50;

/** The name of a file for a chain id, which may have any characters. */
const fileOf = (chainId: string): string => `${encodeURIComponent(chainId)}.json`;

function decodeCheckpoint(json: JsonObject): Checkpoint {
  return { height: bigintAt(json, 'height'), hash: textAt(json, 'hash') };
}

function encodeRecord({ chainId, from, kind, trustingPeriod, newest }: TrustRecord): string {
  const json = {
    chainId,
    from: { height: from.height.toString(), hash: from.hash },
    kind,
    trustingPeriod: trustingPeriod.toString(),
    newest: { signed_header: newest.signedHeader, validators: newest.validators },
  };
  return `${JSON.stringify(json)}\n`;
}

function decodeRecord(text: string): TrustRecord {
  const json = asObject(parseJson(text), 'trust');
  const newest = objectAt(json, 'newest');
  return {
    chainId: textAt(json, 'chainId'),
    from: decodeCheckpoint(objectAt(json, 'from')),
    kind: json.kind === 'CHECKPOINT' ? 'CHECKPOINT' : 'FIRST_USE',
    trustingPeriod: bigintAt(json, 'trustingPeriod'),
    newest: { signedHeader: objectAt(newest, 'signed_header'), validators: arrayAt(newest, 'validators') },
  };
}

/**
 * The trust in each chain, in the files `trust/<chain id>.json` of a directory, and the evidence against nodes in `evidence`. `report` gets errors
 * of the disk, which do not stop the server.
 */
export function createTrustFiles(directory: string, report: (error: unknown) => void) {
  const trust = join(directory, 'trust');
  const evidenceDirectory = join(directory, 'evidence');
  let written = 0;
  let last = Promise.resolve();

  function write(folder: string, name: string, text: string): void {
    last = last
      .then(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        return writeFileAtomic(join(folder, name), text, { mode: 0o600 });
      })
      .catch(report);
  }

  function addEvidence(height: bigint, node: string, content: object): void {
    written += 1;
    if (written > maxEvidence) return;
    const at = new Date().toISOString();
    const name = `${at.replaceAll(':', '-')}-${height}-${node}-${written}.json`;
    write(evidenceDirectory, name, `${JSON.stringify({ at, ...content }, undefined, 2)}\n`);
  }

  return {
    /** The record of a chain; undefined if there is none. Throws NODE_INVALID_RESPONSE for a file that cannot be read, because a lost trust must not begin anew unnoticed. */
    load(chainId: string): TrustRecord | undefined {
      if (chainId.length > maxChainId) return undefined;
      const path = join(trust, fileOf(chainId));
      try {
        return decodeRecord(readFileSync(path, 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        report(new Error(`${path} cannot be read; remove it, or start with --trust`, { cause: error }));
        throw malformed('the trusted block of this server cannot be read');
      }
    },
    keep: (record: TrustRecord): void => write(trust, fileOf(record.chainId), encodeRecord(record)),
    /** Writes evidence to a file of its own. */
    add({ height, received, trusted, hash, ...rest }: Evidence): void {
      addEvidence(height, rest.node, {
        ...rest,
        claimed: { height: height.toString(), hash },
        received: received ?? null,
        trusted: trusted === undefined ? null : { signed_header: trusted.signedHeader, validators: trusted.validators },
      });
    },
    /** Writes different answers of nodes to a file of their own. */
    addAnswers({ kind, nodes, chainId, height, method, params, received, other }: AnswerEvidence): void {
      const node = nodes.join();
      const reason = kind === 'OUTVOTED' ? 'Most nodes gave another answer.' : 'No answer has a majority.';
      const claimed = { height: height?.toString() ?? null, method, params };
      addEvidence(height ?? 0n, node, { kind, node, chainId, code: 'NODE_INCONSISTENT', reason, claimed, received, other });
    },
    /** Resolves when everything is written. */
    flushed: (): Promise<void> => last,
  };
}
