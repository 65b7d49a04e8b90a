import { type KeplrChain, keplrChain } from '@stele/client/sign';
import { stele } from '../../data/stele.ts';
import { prefixOf } from '../../format/addresses.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { WalletChainDocument, WalletCoinDocument } from './gen/graphql.ts';

// This file is loaded if a wallet does not have the chain.

/** Types of coins (SLIP-0044) by the prefixes of addresses (docs/chain.md, "Addresses and denominations"). */
const coinTypes: Readonly<Record<string, number>> = { pb: 505, tp: 1 };

/** What most chains have whose addresses have another prefix. Guess: the chain does not say it. */
const usualCoinType = 118;

/** What a wallet is told of the chain. The wallet reads it through this server. Rejects if the chain does not say enough. */
export async function suggestedChain(chainId: string): Promise<KeplrChain> {
  const { data } = await stele.query(WalletChainDocument);
  const [validator] = data.validators?.nodes ?? [];
  const prefix = prefixOf(validator?.operatorAddress ?? '').replace(/valoper$/, '');
  const denom = data.feeToken ?? validator?.tokens?.denom;
  if (prefix === '' || denom === undefined) throw new Error(actingTexts.value.sending.addByHand);
  const { denomMetadata } = (await stele.query(WalletCoinDocument, { denom })).data;
  const unit = denomMetadata?.denomUnits.find((each) => each.denom === denomMetadata.display);
  return keplrChain({
    ...{ chainId, chainName: chainId, prefix, coinType: coinTypes[prefix] ?? usualCoinType },
    ...{ rpc: `${location.origin}/comet`, rest: `${location.origin}/rest` },
    currency: {
      coinDenom: denomMetadata?.symbol || unit?.denom.toUpperCase() || denom,
      ...{ coinMinimalDenom: denom, coinDecimals: unit?.exponent ?? 0 },
    },
  });
}
