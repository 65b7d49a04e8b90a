import { noteAnswer } from './answers.ts';
import type { Attack } from './attack.ts';
import { closed, openRaw } from './rawSocket.ts';

const perWrite = 1_500;
const bytes = Buffer.from('GET /collection.json HTTP/1.1\r\nHost: bench\r\n\r\n'.repeat(perWrite));

/** How long responses stay unread before the next connection is opened, in ms. */
const held = 10_000;

/** Many requests in one write without a token, whose responses are never read. */
function pipelining(count: number): Attack {
  return {
    name: `pipelining${count}`,
    description: `1,500 requests for /collection.json in one write, unread, on ${count} connections, without a token`,
    async run({ url }, { signal }) {
      let requests = 0;
      async function work(): Promise<void> {
        while (!signal.aborted) {
          const socket = await openRaw(url, signal);
          if (socket === undefined) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            continue;
          }
          socket.pause();
          socket.write(bytes);
          requests += perWrite;
          await closed(socket, held);
          noteAnswer(socket.destroyed ? 'closed' : 'held');
          socket.destroy();
        }
      }
      await Promise.all(Array.from({ length: count }, work));
      return { requests };
    },
  };
}

export const pipelining8 = pipelining(8);
export const pipelining100 = pipelining(100);
