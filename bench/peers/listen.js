import { once } from 'node:events';

/** Listens on a free port of this machine, and sends the URL to the parent process, or prints it if there is none. */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  if (process.send === undefined) console.log(url);
  else process.send({ url });
}
