import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, some } from '../../support/atRandom.ts';
import { any } from '../../support/chain.ts';
import { transports } from '../../support/listeners.ts';
import { commit, expectWhole, listen, metrics } from './blocks.ts';
import type { GatewaySocket } from './gateway.ts';
import { type GuardedTarget, longPoll, startGuarded } from './setup.ts';

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function start(options: Parameters<typeof startGuarded>[0] = {}): Promise<GuardedTarget> {
  const target = await startGuarded({ ...options, server: { admin: { host: '127.0.0.1', port: 0 }, ...options.server } });
  stopping.push(target.close);
  return target;
}

const question = '{ groups(first: 1) { nodes { id } } }';

/** Sends the first half of a message in a frame for all of it, and closes the connection. */
function breakOff({ duplex }: GatewaySocket, own: string): void {
  const payload = Buffer.from(own);
  const head = Buffer.alloc(10);
  head.writeUInt8(0x81);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  duplex.write(Buffer.concat([head, payload.subarray(0, payload.length / 2)]), () => duplex.destroy());
}

const error = (data: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Server error', data } });

describe('T42, T43: the upstream subscription', () => {
  it.each<[name: string, message: (to: GatewaySocket, own: string) => void]>(
    some(
      [
        ['drops', ({ socket }) => socket.terminate()],
        ['breaks off in the middle of a frame', breakOff],
        ['sends half a message', ({ socket }, own) => socket.send(own.slice(0, own.length / 2))],
        ['sends nothing any more', () => undefined],
        [
          'overran its buffer',
          ({ socket }) =>
            socket.send(error('subscription was canceled (reason: internal subscription event buffer is out of capacity)')),
        ],
        [
          'is ended as its node exits',
          ({ socket }) => socket.send(error('subscription was canceled (reason: CometBFT exited)')),
        ],
      ],
      3,
    ),
  )('that %s is started again, and missed blocks are read', async (_, message) => {
    const target = await start({ upstream: { silence: 300 } });
    const { gateway } = target;
    const listeners = await listen(target);
    await commit(target, 2);
    const [before] = gateway.sockets;
    const left = once(before!.socket, 'close');
    gateway.message = message;
    for (let blocks = 0; blocks < 3; blocks += 1) await target.chain.devnet.commit();
    await left;
    gateway.message = undefined;
    await commit(target, 2);
    await expectWhole(target, listeners);
    await expect.poll(() => gateway.sockets.size, longPoll).toBe(1);
    await target.isWell();
  });

  it.runIf(runsAll)('that delivers old blocks, repeats one, and skips fifty, still works', async () => {
    const target = await start();
    const { gateway } = target;
    const listeners = await listen(target);
    const received: string[] = [];
    gateway.message = ({ socket }, own) => {
      received.push(own);
      socket.send(own);
      socket.send(own);
      socket.send(received[0]!);
    };
    await commit(target, 4);
    await expectWhole(target, listeners);
    gateway.message = () => undefined;
    for (let blocks = 0; blocks < 49; blocks += 1) await target.chain.devnet.commit();
    gateway.message = undefined;
    await commit(target);
    await expectWhole(target, listeners);
    // Still the first subscription.
    expect(gateway.sent).toHaveLength(1);
    expect(await metrics(target)).toMatch(/stele_duplicate_blocks_total ([5-9]|\d\d)/);
    await target.isWell();
  });

  it.runIf(runsAll)(
    'is for blocks only: a block of more than 200 events is complete, and a restarted node is followed',
    async () => {
      const target = await start();
      const { gateway, chain, stack } = target;
      const listeners = await listen(target);
      const all = await transports['graphql-transport-ws'](
        stack.server.url,
        'subscription { transactions(after: 0) { hash events { type } } }',
      );
      stopping.push(() => all.leave());
      const [from, to] = chain.accounts;
      const coins = [{ denom: 'nhash', amount: '1' }];
      const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins });
      const hashes: string[] = [];
      for (let count = 0; count < 60; count += 1) hashes.push(await chain.submit(from!, send));
      await commit(target);
      await all.count(60);
      expect(all.answers.map(({ data }) => data?.transactions?.hash)).toEqual(hashes);
      expect(all.answers.flatMap(({ data }) => data?.transactions?.events).length).toBeGreaterThan(200);

      await chain.node.stop();
      for (let blocks = 0; blocks < 3; blocks += 1) await chain.devnet.commit();
      await chain.node.start();
      await commit(target);
      await expectWhole(target, listeners);
      expect(new Set(gateway.sent.map(({ method, params }) => `${method} ${params.query}`))).toEqual(
        new Set(["subscribe tm.event='NewBlock'"]),
      );
      await target.isWell();
    },
  );
});

describe('T45: a stalled chain', () => {
  it('keeps its streams and reads, is reported as stalled, and continues with another version', async () => {
    const target = await start({ upstream: { silence: 200 }, server: { limits: { 'socket.ping': 50 } } });
    const { stack, gateway } = target;
    const listeners = await listen(target);
    for (const url of [stack.server.url, stack.server.adminUrl]) {
      const readiness = async (): Promise<unknown> => (await fetch(`${url}/readyz`)).json();
      await expect.poll(readiness, longPoll).toMatchObject({ ready: true, chain: 'stalled' });
    }
    expect(await metrics(target)).toContain('stele_chain_stalled 1');
    const age = async (): Promise<number> => {
      const { body } = await stack.ask('{ status { lastBlockAge } }');
      return Number.parseFloat((body.data as { status: { lastBlockAge: string } }).status.lastBlockAge);
    };
    const first = await age();
    expect(first).toBeGreaterThan(0.1);
    expect(await age()).toBeGreaterThan(first);
    expect((await stack.ask(question)).body.errors).toBeUndefined();

    const later = (text: string): string => text.replaceAll('"version":{"block":"11"', '"version":{"block":"12","app":"9"');
    gateway.message = ({ socket }, own) => socket.send(later(own));
    gateway.answer = (response, own) => response.end(later(own));
    await commit(target, 2);
    const { body } = await stack.ask('{ block(height: 2) { header { version { block app } } } }');
    expect(body).toMatchObject({ data: { block: { header: { version: { block: '12', app: '9' } } } } });
    await expectWhole(target, listeners);
    const moving = async (): Promise<unknown> => {
      await commit(target);
      return (await fetch(`${stack.server.url}/readyz`)).json();
    };
    await expect.poll(moving, longPoll).toEqual({ ready: true, chain: 'moving' });
    // The same streams as before.
    await expectWhole(target, listeners);
    await target.isWell();
  });
});
