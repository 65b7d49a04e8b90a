import type { JsonValue } from '@bufbuild/protobuf';
import {
  MsgExecuteContractSchema,
  MsgInstantiateContractSchema,
  MsgMigrateContractSchema,
} from '../../../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import type { MemberFixture } from '../fixtures/fixtures.ts';
import { contractAddress } from '../keepers/wasm/state.ts';
import { encodeAddress } from '../runtime/address.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { inTurn, toAny } from './step.ts';

/** The contracts of the world: one with points for the whole assembly, which was migrated, and a new one without an administrator. */
export const contracts = {
  points: encodeAddress(contractAddress(1n, 1n)),
  vouchers: encodeAddress(contractAddress(2n, 2n)),
} as const;

/** Index of the account that stored the codes, and created and administers the points. */
export const pointsAdmin = 0;

const day = 24 * 3600;
const longLabel =
  'Vouchers of the summer fair, for one drink each, that nobody administers and everybody in the assembly can give to others';

/** The bytes of a message to a contract. */
export function contractMessage(message: JsonValue): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(message)));
}

/** Creates the contracts, with points for the accounts of the wallet and the members of the assembly. */
export function contractSteps(addresses: readonly string[], assembly: readonly MemberFixture[]): HistoryStep[] {
  const [admin = '', user = ''] = [addresses[pointsAdmin], addresses[8]];
  const holders = [...new Set([...addresses, ...assembly.map(({ address }) => address)])];
  const execute = (sender: string, contract: string, message: JsonValue) =>
    toAny(MsgExecuteContractSchema, { sender, contract, msg: contractMessage(message) });
  const balances = holders.map((address, index) => ({ address, amount: String((index + 1) * 100) }));
  return inTurn(9 * day, [
    toAny(MsgInstantiateContractSchema, {
      sender: admin,
      admin,
      codeId: 1n,
      label: 'Points',
      msg: contractMessage({ name: 'Points', symbol: 'PTS', decimals: 0, minter: admin, initial_balances: balances }),
    }),
    execute(admin, contracts.points, { mint: { recipient: user, amount: '5000' } }),
    toAny(MsgMigrateContractSchema, { sender: admin, contract: contracts.points, codeId: 2n, msg: contractMessage({}) }),
    toAny(MsgInstantiateContractSchema, {
      sender: user,
      codeId: 2n,
      label: longLabel,
      msg: contractMessage({ name: 'Vouchers', symbol: 'DRINK', initial_balances: [{ address: user, amount: '300' }] }),
    }),
    execute(user, contracts.vouchers, { transfer: { recipient: admin, amount: '2' } }),
  ]);
}
