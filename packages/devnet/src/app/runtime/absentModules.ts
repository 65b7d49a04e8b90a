import type { DevnetModule } from '../../../../../src/config/devnetModules.ts';
import {
  MsgSetDenomMetadataRequestSchema,
  MsgWithdrawRequestSchema,
} from '../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { parseCoins } from './coins.ts';
import type { Genesis, HistoryStep, Holdings } from './genesisState.ts';
import { unpackAny } from './keeper.ts';

/** The modules that need another, each after those that it needs. */
const needs = [
  ['attribute', 'name'],
  ['distribution', 'staking'],
  ['exchange', 'attribute'],
  ['exchange', 'hold'],
  ['gov', 'distribution'],
  ['marker', 'attribute'],
  ['metadata', 'marker'],
  ['mint', 'staking'],
  ['slashing', 'staking'],
] as const satisfies readonly (readonly [DevnetModule, DevnetModule])[];

/** These modules and all that need one of them. */
export function absentModules(without: readonly DevnetModule[]): ReadonlySet<string> {
  const absent = new Set(without);
  for (const [name, need] of needs) if (absent.has(need)) absent.add(name);
  return absent;
}

/** The module of a full name of protobuf, such as `cosmos.group.v1.Query`, with or without a leading slash: `group`. */
export function moduleOf(fullName: string): string {
  return fullName.split('.')[1] ?? '';
}

/**
 * A genesis without everything of the absent modules. Without markers, the coins that their administrators would withdraw are in the balances, and the display units
 * in the bank.
 */
export function genesisWithout(genesis: Genesis, absent: ReadonlySet<string>): Genesis {
  if (absent.size === 0) return genesis;
  const { markers, names, holds, exchangeMarkets, modules, staking, history, balances, denomMetadata = [], ...rest } = genesis;
  const isAbsent = ({ message }: HistoryStep): boolean =>
    absent.has(moduleOf(typeof message === 'function' ? message(0n).typeUrl : message.typeUrl));
  const dropped = history.filter(isAbsent).map(({ message }) => (typeof message === 'function' ? message(0n) : message));
  const withdrawn = dropped.flatMap((message): Holdings[] => {
    const withdrawal = unpackAny(MsgWithdrawRequestSchema, message);
    return withdrawal === undefined ? [] : [{ address: withdrawal.toAddress, coins: parseCoins(withdrawal.amount) }];
  });
  const units = dropped.flatMap((message) => unpackAny(MsgSetDenomMetadataRequestSchema, message)?.metadata ?? []);
  return {
    ...rest,
    balances: [...balances, ...withdrawn],
    denomMetadata: [...denomMetadata, ...units],
    ...(modules && { modules: modules.filter((name) => !absent.has(name)) }),
    ...(markers && !absent.has('marker') && { markers }),
    ...(names && !absent.has('name') && { names }),
    ...(staking && !absent.has('staking') && { staking }),
    ...(holds && !absent.has('hold') && { holds }),
    ...(exchangeMarkets && !absent.has('exchange') && { exchangeMarkets }),
    history: history.filter((step) => !isAbsent(step)),
  };
}
