import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A port on which nothing listens, and that no other program gets. */
export interface HeldPort {
  readonly port: number;
  /** Gives the port up. */
  release(): void;
}

/**
 * Holds a port of an address, or a free one if it is 0. Connections to it are refused. The port is the local end of an open connection, so the system
 * gives it to no program that asks for a free port or that connects, but a server can listen on it meanwhile. Rejects if the port is in use.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const peer = createServer().listen(0, host);
  await once(peer, 'listening');
  const address = peer.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  peer.on('connection', (socket: Socket) => socket.on('error', () => undefined).unref());
  // The host may be a name.
  const ownAddress = address.address;
  const heldSocket = connect({ host: ownAddress, port: address.port, localAddress: ownAddress, localPort: port });
  try {
    await Promise.all([once(peer, 'connection'), once(heldSocket, 'connect')]);
  } finally {
    peer.close();
  }
  heldSocket.on('error', () => undefined).unref();
  return { port: heldSocket.localPort ?? port, release: () => void heldSocket.resetAndDestroy() };
}
