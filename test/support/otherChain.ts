import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Application } from '../../packages/devnet/src/abci/abci.ts';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { FileDescriptorsResponseSchema } from '../../src/proto/cosmos/reflection/v1/reflection_pb.js';

/** The packages whose modules {@link createOtherChain} does not have. */
const absentModules = /^(cosmos\.group\.v1|provenance\..*)$/;

/** A denom of {@link createOtherChain} with metadata of the bank: one beacon is 10^6 of it. */
export const beacon = 'ubeacon';

/** The application of a chain without the modules group and those of Provenance, and the number of queries that it got, by path. */
export interface OtherChain {
  readonly application: Application;
  readonly queries: Map<string, number>;
}

/** Creates the application of a chain without the modules group and those of Provenance: it neither serves nor describes them. */
export function createOtherChain(): OtherChain {
  const { balances, ...genesis } = createGenesis({ bare: true });
  const own = createApplication({
    genesis: {
      ...genesis,
      balances: balances.map(({ address, coins }) => ({
        address,
        coins: [...coins, { denom: beacon, amount: 1_500_000n }],
      })),
      denomMetadata: [
        {
          base: beacon,
          display: 'beacon',
          name: 'Beacon',
          symbol: 'BCN',
          description: 'The token of a lighthouse.',
          denomUnits: [
            { denom: beacon, exponent: 0 },
            { denom: 'beacon', exponent: 6 },
          ],
        },
      ],
    },
  });
  const queries = new Map<string, number>();
  const application: Application = {
    ...own,
    info: () => ({ ...own.info(), data: 'beacond', version: 'v3.2.1' }),
    query(input) {
      queries.set(input.path, (queries.get(input.path) ?? 0) + 1);
      const [, service] = /^\/(.+)\.[^./]+\//.exec(input.path) ?? [];
      if (service !== undefined && absentModules.test(service)) return own.query({ ...input, path: '/no.such.Query/Path' });
      const answer = own.query(input);
      if (service !== 'cosmos.reflection.v1' || answer.value === null) return answer;
      const files = fromBinary(FileDescriptorsResponseSchema, answer.value).files.filter(
        ({ package: name = '' }) => !absentModules.test(name),
      );
      const value = toBinary(FileDescriptorsResponseSchema, create(FileDescriptorsResponseSchema, { files }));
      return { ...answer, value };
    },
  };
  return { application, queries };
}
