import { beforeAll, describe, expect, it } from 'vitest';
import { ChainError, isChainError } from '../../../src/chain/base/errors.ts';
import { createClient } from '../../../src/chain/client.ts';
import { createDescriptorPool, type DescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { createServedMethods } from '../../../src/chain/state/servedMethods.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { CallOptions, Transport } from '../../../src/chain/transports/transport.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { readDescriptors } from '../../recordings/recordings.ts';
import { startChain } from '../../support/chain.ts';

const groups = '/cosmos.group.v1.Query/Groups';
const proposal = '/cosmos.group.v1.Query/Proposal';
let recorded: DescriptorPool;
beforeAll(() => {
  recorded = createDescriptorPool(readDescriptors());
});

/** As a node refuses a query that its application does not have (recorded). */
const unknown = {
  code: 6,
  log: 'unknown query path: unknown request',
  index: '0',
  key: null,
  value: null,
  height: '0',
  codespace: 'sdk',
};
/** As a node refuses bytes that are no message (recorded). */
const unparsed = { ...unknown, code: 18, log: 'unexpected EOF: invalid request' };

/** A node that refuses the paths that `isAbsent` selects, and the paths that it was asked for. */
function node(isAbsent: (path: string) => boolean, pool: () => DescriptorPool | undefined = () => recorded) {
  const asked: string[] = [];
  const state = { isDown: false };
  const transport: Pick<Transport, 'call'> = {
    async call<T>(_: string, { path }: JsonObject, { decode }: CallOptions<T>): Promise<T> {
      asked.push(String(path));
      await Promise.resolve();
      if (state.isDown) throw new ChainError('NODE_UNREACHABLE', 'down', {});
      return decode({ response: isAbsent(String(path)) ? unknown : unparsed });
    },
  };
  const served = createServedMethods({ transport: transport as Transport, pool });
  return { asked, state, served };
}

describe('served methods', () => {
  it('are asked for once, also at the same time, and again after the application may have changed', async () => {
    let isAbsent = true;
    const { asked, served } = node(() => isAbsent);
    expect(await Promise.all([served.serves(groups), served.serves(groups), served.serves(groups)])).toEqual([
      false,
      false,
      false,
    ]);
    expect(await served.serves(groups)).toBe(false);
    expect(asked).toEqual([groups]);
    isAbsent = false;
    served.clear();
    expect([await served.serves(groups), await served.serves(groups)]).toEqual([true, true]);
    expect(asked).toHaveLength(2);
  });

  it.each(['Groups', 'Newer'])(
    'stay if the application lacks one method of a service that the chain describes: %s',
    async (method) => {
      const lacking = `/cosmos.group.v1.Query/${method}`;
      const { asked, served } = node((path) => path === lacking);
      expect(await served.serves(lacking)).toBe(false);
      expect(await served.serves(proposal)).toBe(true);
      expect(served.refusal(lacking)).toMatchObject({ code: 6 });
      expect(served.refusal(proposal)).toBeUndefined();
      // Neither is asked for again.
      expect([await served.serves(lacking), await served.serves(proposal)]).toEqual([false, true]);
      expect(asked).toEqual([lacking, proposal]);
    },
  );

  it('are absent together if the chain does not describe their service', async () => {
    const { asked, served } = node(() => true);
    expect(await served.serves('/cosmos.nowhere.v1.Query/Some')).toBe(false);
    expect(await served.serves('/cosmos.nowhere.v1.Query/Other')).toBe(false);
    expect(asked).toHaveLength(1);
    expect(await served.serves('/cosmos.nowhere.v1.Elsewhere/Some')).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('are not known without the types of the chain, except for the path', async () => {
    const { served } = node(
      (path) => path === groups,
      () => undefined,
    );
    expect(await served.serves(groups)).toBe(false);
    expect(await served.serves(proposal)).toBe(true);
  });

  it('are asked for again after no node could be reached', async () => {
    const { asked, state, served } = node(() => true);
    state.isDown = true;
    await expect(served.serves(groups)).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    state.isDown = false;
    expect(await served.serves(groups)).toBe(false);
    expect(asked).toHaveLength(2);
  });
});

describe('reads of a client', () => {
  it('that start together at a service which the chain does not describe take one call, and fail as the node does', async () => {
    const chain = await startChain({ bare: true, without: ['group'] });
    const client = createClient({ transport: http(chain.node.url), learnsRoots: false });
    try {
      const { height } = await client.head.ready();
      await client.descriptors.pool();
      chain.node.counters.reset();
      const reads = ['Groups', 'Proposal', 'GroupInfo'].map((method, index) =>
        client
          .at(height, undefined)
          .query(`/cosmos.group.v1.Query/${method}`, Uint8Array.of(8, index))
          .catch((error: unknown) => error),
      );
      for (const error of await Promise.all(reads))
        expect(isChainError(error, 'ABCI_QUERY_FAILED') && error.facts).toEqual({
          ...{ abciCode: 6, codespace: 'sdk', log: 'unknown query path: unknown request' },
        });
      expect(chain.node.counters.byMethod.abci_query).toBe(1);
      expect(await client.serves('/cosmos.group.v1.Query/Groups')).toBe(false);
      expect(await client.serves('/cosmos.bank.v1beta1.Query/Balance')).toBe(true);
      expect(chain.node.counters.byMethod.abci_query).toBe(2);
      // The node restarts, perhaps with another application: it is asked again, at the next block.
      const before = client.head.stats().subscriptions;
      chain.node.closeSockets();
      await expect.poll(() => client.head.stats().subscriptions, { timeout: 20_000 }).toBeGreaterThan(before);
      const next = await chain.devnet.commit();
      await expect.poll(() => client.head.current()?.height, { timeout: 20_000 }).toBe(next);
      expect(await client.serves('/cosmos.group.v1.Query/Groups')).toBe(false);
      expect(chain.node.counters.log.filter(({ params }) => JSON.stringify(params).includes('cosmos.group.v1'))).toHaveLength(
        2,
      );
    } finally {
      await client.close();
      await chain.devnet.close();
    }
  });
});
