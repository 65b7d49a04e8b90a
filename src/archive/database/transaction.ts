import type { Connection } from './connection.ts';

/** Runs `work` in one write transaction: all of it is committed, or nothing. The caller runs one transaction at a time on a connection. */
export async function transact<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  // SQLite takes the lock for writing at once, so that what the transaction reads stays true.
  await connection.run(connection.dialect === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN', []);
  try {
    const result = await work();
    await connection.run('COMMIT', []);
    return result;
  } catch (error) {
    // A full disk or a lost connection has ended the transaction already.
    await connection.run('ROLLBACK', []).catch(() => undefined);
    throw error;
  }
}

/** Runs asynchronous work one after the other, in the order of the calls. A failure does not affect the next one. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
