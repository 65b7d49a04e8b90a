import { noteAnswer } from './answers.ts';
import type { Attack } from './attack.ts';
import { closed, openRaw } from './rawSocket.ts';

const upgrade =
  'GET /websocket HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const bytes = Buffer.from(upgrade + 'x'.repeat(64 * 1024));

/** Upgrade requests without a token, with bytes after their headers. */
export const upgrades: Attack = {
  name: 'upgrades',
  description: 'refused upgrades with 64 kB after their headers, without a token',
  async run({ url }, { connections, signal }) {
    let requests = 0;
    async function work(): Promise<void> {
      while (!signal.aborted) {
        const socket = await openRaw(url, signal);
        if (socket === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          continue;
        }
        requests += 1;
        socket.once('data', (answer) => {
          noteAnswer(String(answer).slice(9, 12));
          // Half-closes the connection, so that the server closes it.
          socket.end();
        });
        socket.write(bytes);
        await closed(socket, 1_000);
        // A connection that the server has not closed stays open.
        if (!socket.destroyed) noteAnswer('not closed');
        socket.unref();
      }
    }
    await Promise.all(Array.from({ length: connections }, work));
    return { requests };
  },
};
