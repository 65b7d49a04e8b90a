import { useEffect, useState } from 'preact/hooks';
import { stele } from '../../data/stele.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { RecipientDocument, type RecipientQuery } from './gen/graphql.ts';

type Recipient = NonNullable<RecipientQuery['account']>;

/** What a visitor should know of an account before paying it. */
function sentenceOf(account: Recipient, payer: string, address: string): string {
  const { kind, moduleName, contract, marker, groupPolicy, validator, names } = account;
  if (address === payer) return actingTexts.value.payment.payer;
  if (moduleName !== null) return actingTexts.value.payment.module(moduleName);
  if (contract !== null) return actingTexts.value.payment.contract(contract.label);
  if (marker !== null) return actingTexts.value.payment.escrow(marker.denom);
  if (groupPolicy !== null)
    return actingTexts.value.payment.policy(
      groupPolicy.metadata || actingTexts.value.payment.withoutName,
      groupPolicy.group?.metadata || actingTexts.value.payment.withoutName,
    );
  const name = names?.nodes[0]?.name ?? validator?.moniker;
  if (name) return actingTexts.value.payment.knownAs(name);
  return kind === null ? actingTexts.value.payment.newAccount : actingTexts.value.payment.unnamed;
}

/** Says what the chain knows of an account that is to be paid: its name, or that it is a module, a contract, a marker or a policy. */
export function RecipientName({ address, payer }: { readonly address: string; readonly payer: string }) {
  const [known, setKnown] = useState({ address: '', sentence: '' });
  useEffect(() => {
    let isLeft = false;
    const show = (sentence: string): void => {
      if (!isLeft) setKnown({ address, sentence });
    };
    stele.query(RecipientDocument, { address }).then(
      // A chain without the module of a field has null there.
      ({ data }) => show(data.account === null ? '' : sentenceOf(data.account, payer, address)),
      () => show(actingTexts.value.payment.unread),
    );
    return () => {
      isLeft = true;
    };
  }, [address, payer]);
  return <>{known.address === address ? known.sentence : ''}</>;
}
