import { useEffect, useState } from 'preact/hooks';
import { stele } from '../../data/stele.ts';
import { RecipientDocument, type RecipientQuery } from './gen/graphql.ts';

type Recipient = NonNullable<RecipientQuery['account']>;

/** What a visitor should know of an account before paying it. */
function sentenceOf(account: Recipient, payer: string, address: string): string {
  const { kind, moduleName, contract, marker, groupPolicy, validator, names } = account;
  if (address === payer) return 'This is the account that pays.';
  if (moduleName !== null)
    return `This is the account of the module ${moduleName}. It may refuse payments, or keep them for ever.`;
  if (contract !== null) return `This is the contract “${contract.label}”. A payment does not call it.`;
  if (marker !== null) return `This is the escrow account of the marker of ${marker.denom}.`;
  if (groupPolicy !== null)
    return `This is the group policy “${groupPolicy.metadata || 'without a name'}” of the group “${groupPolicy.group?.metadata || 'without a name'}”.`;
  const name = names?.nodes[0]?.name ?? validator?.moniker;
  if (name) return `The chain knows this account as ${name}.`;
  return kind === null ? 'This account is new: the chain has never seen it.' : 'This account has no name that the chain knows.';
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
      () => show('What this account is cannot be read now.'),
    );
    return () => {
      isLeft = true;
    };
  }, [address, payer]);
  return <>{known.address === address ? known.sentence : ''}</>;
}
