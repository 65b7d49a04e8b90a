import { shorten } from '../format/addresses.ts';
import { count } from '../format/numbers.ts';
import { urlOf } from '../routing/router.ts';
import { Copy } from './Copy.tsx';

interface AddressProps {
  readonly of: string;
  /** A name that is known on the page, shown instead of the address. */
  readonly name?: string | null | undefined;
  /** Whether it has a button to copy it. */
  readonly hasCopy?: boolean;
}

/** A link to an account. */
export function Address({ of, name, hasCopy = true }: AddressProps) {
  const label = name ? name : shorten(of);
  return (
    <span class="address">
      <a href={urlOf(`/accounts/${of}`)} title={of} class={name ? undefined : 'mono'}>
        {label}
      </a>
      {hasCopy ? <Copy text={of} name={name ? `the address of ${name}` : 'the address'} /> : null}
    </span>
  );
}

/** A link to a transaction. */
export function TransactionHash({ of }: { readonly of: string }) {
  return (
    <span class="address">
      <a href={urlOf(`/transactions/${of}`)} title={of} class="mono">
        {shorten(of, [8, 4])}
      </a>
      <Copy text={of} name="the hash" />
    </span>
  );
}

/** A link to a block. */
export function Height({ of }: { readonly of: string }) {
  return <a href={urlOf(`/blocks/${of}`)}>{count(of)}</a>;
}
