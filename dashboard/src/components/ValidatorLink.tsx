import { shorten } from '../format/addresses.ts';
import { urlOf } from '../routing/router.ts';

interface ValidatorLinkProps {
  /** null if the staking module does not have the validator any more. */
  readonly of: { readonly address: string; readonly moniker: string | null } | null;
  /** The `…valoper1…` address, shown if the validator is not known. */
  readonly operatorAddress?: string;
}

/** A link to the page of a validator. */
export function ValidatorLink({ of, operatorAddress = '' }: ValidatorLinkProps) {
  if (of === null)
    return (
      <span class="mono" title={operatorAddress}>
        {shorten(operatorAddress, [14, 6])}
      </span>
    );
  return (
    <a href={urlOf(`/validators/${of.address}`)} title={operatorAddress || of.address}>
      {of.moniker || shorten(of.address)}
    </a>
  );
}
