import { noteAnswer } from './answers.ts';
import type { Attack } from './attack.ts';
import { closed, openRaw } from './rawSocket.ts';

const fields =
  'header { appHash dataHash consensusHash validatorsHash } commit { commit { signatures { signature validatorAddress } } }';

/** Streams of server-sent events from the first block on that are never read. They are distinct, so that nothing is shared. */
export const unread: Attack = {
  name: 'unread',
  description: 'streams of large events from the first block on, unread, one on each connection',
  async run({ url, token }, { connections, signal }) {
    let requests = 0;
    async function work(index: number): Promise<void> {
      while (!signal.aborted) {
        const socket = await openRaw(url, signal);
        if (socket === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          continue;
        }
        requests += 1;
        const aliases = Array.from(
          { length: 10 },
          (_, place) => `a${place}: results { height } b${place}: ${fields.split(' ')[0]} { appHash chainId time }`,
        );
        const query = `subscription { s${index}: newBlock(after: 0) { height ${aliases.join(' ')} ${fields} } }`;
        const body = JSON.stringify({ query });
        socket.write(
          `POST /graphql HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
        // Only the headers of the response are read.
        socket.once('data', (answer) => {
          noteAnswer(String(answer).slice(9, 12));
          socket.pause();
        });
        await closed(socket, 600_000);
        noteAnswer('closed');
      }
    }
    await Promise.all(Array.from({ length: connections }, (_, index) => work(index)));
    return { requests };
  },
};
