import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Descriptors on disk, so that a start does not read a megabyte from a node. Every failure of the disk counts as a miss. */
export interface DescriptorCache {
  /** The descriptors of a chain at a version of its application; undefined if they are absent or damaged. */
  get(chainId: string, version: string): Promise<Uint8Array | undefined>;
  put(chainId: string, version: string, bytes: Uint8Array): Promise<void>;
}

/** A file name that is valid on any file system, whatever the chain id contains. */
function nameOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Makes a cache in a directory. It stores descriptors by their hash, and for each chain and version the hash of its
 * descriptors.
 */
export function createDescriptorCache(directory: string): DescriptorCache {
  const bytesAt = (hash: string): string => join(directory, `${hash}.binpb`);
  const hashAt = (chainId: string, version: string): string => join(directory, `${nameOf(chainId, version)}.sha256`);

  /** Replaces the file atomically. */
  async function write(path: string, content: string | Uint8Array): Promise<void> {
    const beside = `${path}.${process.pid}.tmp`;
    await writeFile(beside, content);
    await rename(beside, path);
  }

  return {
    async get(chainId, version) {
      try {
        const hash = await readFile(hashAt(chainId, version), 'utf8');
        if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
        const bytes = await readFile(bytesAt(hash));
        return hashOf(bytes) === hash ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
    async put(chainId, version, bytes) {
      try {
        await mkdir(directory, { recursive: true });
        const hash = hashOf(bytes);
        await write(bytesAt(hash), bytes);
        await write(hashAt(chainId, version), hash);
      } catch {
        // The next start reads the descriptors from a node again.
      }
    },
  };
}
