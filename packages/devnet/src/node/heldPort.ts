import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A port on which nothing listens, and that no other program gets. */
export interface HeldPort {
  readonly port: number;
  /** Gives the port up. */
  release(): void;
}

/**
 * Reserves a port of an address, or a free one if it is 0. The port is the local end of an open connection. The system therefore gives it to no other
 * program, but a server can still listen on it. Connections to it are refused until then. Rejects if the port is in use.
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
