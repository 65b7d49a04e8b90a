/** The smallest memory of the caches of one process, in bytes. */
const least = 32 * 1024 * 1024;

/**
 * Divides the memory of all caches (`cache.bytes`) among the primary and its workers: an eighth for what the workers share, and an equal
 * part for the caches of each process.
 */
export function memoryOf(bytes: number, workers: number): { readonly store: number; readonly process: number } {
  const store = Math.floor(bytes / 8);
  return { store, process: Math.max(least, Math.floor((bytes - store) / (workers + 1))) };
}
