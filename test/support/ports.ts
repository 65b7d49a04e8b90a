import { holdPort } from '../../packages/devnet/src/node/heldPort.ts';

/** Returns a port that nothing listens on. No program gets it by chance until this process ends. A server can listen on it, stop, and listen again. */
export async function freePort(): Promise<number> {
  const { port } = await holdPort('127.0.0.1', 0);
  return port;
}
