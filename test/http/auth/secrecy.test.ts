import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { devnetToken, lineOf, startProcess } from '../../support/process.ts';
import { openSocket, post, send, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let child: ChildProcess;
let url: string;
let adminUrl: string;
/** All output of the process. */
let output = '';

beforeAll(async () => {
  chain = await startChain({ bare: true });
  child = await startProcess(['--port', '0', '--cache-dir', 'off', '--dev', '--node', chain.node.url, '--log-level', 'debug']);
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  [, url = ''] = await lineOf(child, /^Stele is up in \d+ ms: (http:\S+)\/graphql$/);
  adminUrl = await vi.waitFor(() => /For operators: (http:\S+)\/metrics/.exec(output)![1]!, { timeout: 10_000 });
});

afterAll(async () => {
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await chain.devnet.close();
});

it('T22: no output of the server contains a token or a secret, whatever was sent', async () => {
  const token = await devnetToken(url);
  const secret = 'hunter2-hunter2-hunter2';
  const authorization = `Bearer ${token}`;
  const answers: WireAnswer[] = [];
  const keep = async (answer: Promise<WireAnswer>): Promise<void> => void answers.push(await answer);

  // In the right place and in wrong places; complete, in parts and changed.
  const [header, payload, signature = ''] = token.split('.');
  await keep(post(url, '{ head { height } }', { authorization }));
  await keep(post(url, '{ head { height } }', { authorization: `${authorization}x` }));
  await keep(post(url, '{ head { height } }', { authorization: `Bearer ${header}.${payload}.` }));
  await keep(post(url, '{ head { height } }', { authorization: [authorization, authorization] }));
  await keep(post(url, '{ head { height } }', { authorization: token }));
  await keep(send(`${url}/graphql?access_token=${token}`));
  await keep(send(`${url}/graphql?access_token=${token}`, { headers: { authorization } }));
  await keep(send(`${url}/${token}`));
  await keep(send(`${url}/${token}`, { headers: { authorization } }));
  await keep(send(`${url}/graphql`, { headers: { authorization, cookie: `t=${token}`, 'x-cosmos-block-height': 'x' } }));
  await keep(
    send(`${url}/graphql`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{' }),
  );
  await keep(
    send(`${url}/oauth/token`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{}' }),
  );
  for (const body of [
    { client_id: 'devnet', client_secret: secret, grant_type: 'client_credentials' },
    { client_id: secret, client_secret: secret, grant_type: secret, audience: secret },
    { client_id: 'devnet', client_secret: { secret }, grant_type: 'client_credentials' },
  ])
    await keep(
      send(`${url}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  await openSocket(url, { headers: { authorization: `${authorization}x` } });
  await openSocket(url, { params: { authorization: `${authorization}x` } });
  await openSocket(url, { params: { token } });
  await openSocket(url, { path: `/graphql?access_token=${token}` });
  for (const subscribe of [overWebSocket, overEvents]) {
    const listener = await subscribe(url, 'subscription { newBlock(after: 0) { height } }', {}, token);
    await listener.count(1);
    answers.push({ status: 0, headers: {}, body: listener.texts.join('\n') });
    await listener.leave();
  }

  // While the node and the issuer are down.
  const { node } = chain;
  await node.stop();
  await keep(post(url, '{ status { nodeInfo { moniker } } abciInfo { data } }', { authorization }));
  await node.start();
  await keep(send(`${adminUrl}/metrics`));
  await keep(send(`${adminUrl}/readyz`));

  child.kill('SIGTERM');
  await once(child, 'exit');
  const said = [output, ...answers.map(({ headers, body }) => `${JSON.stringify(headers)}\n${body}`)].join('\n');
  expect(said.length).toBeGreaterThan(2000);
  for (const text of [token, payload!, signature, signature.slice(0, 24), secret]) expect(said.split(text).length - 1).toBe(0);
});
