import { createHash } from 'node:crypto';
import { AccessType } from '../../../../../../src/proto/cosmwasm/wasm/v1/types_pb.js';
import type { Keeper } from '../../runtime/keeper.ts';
import { wasmMessages } from './messages.ts';
import { pointsVersions } from './points.ts';
import { wasmQueries } from './queries.ts';
import { writeCode } from './state.ts';

/**
 * The wasm module. It runs no code: the genesis has a code for each version of one program (`points.ts`), and no more can be stored. Texts and events are
 * those of wasmd 0.61 (recorded, unless a comment says otherwise).
 */
export const wasmKeeper: Keeper = {
  messages: wasmMessages,
  queries: wasmQueries,
  initGenesis(context, { codeCreator }) {
    if (codeCreator === undefined) return;
    pointsVersions.forEach((version, index) => {
      writeCode(context, BigInt(index + 1), {
        creator: codeCreator,
        codeHash: createHash('sha256').update(`points/${version}`).digest(),
        instantiateConfig: { permission: AccessType.EVERYBODY },
      });
    });
  },
};
