import { shorten } from '../format/addresses.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { urlOf } from '../routing/router.ts';
import { Copy } from './Copy.tsx';
import { Identicon } from './Identicon.tsx';
import { usePerson } from './people.ts';

interface AddressProps {
  readonly of: string;
  /** A name that is known where the address is shown. */
  readonly name?: string | null | undefined;
  /** Whether it has a button to copy it. */
  readonly hasCopy?: boolean;
}

/** An account or the operator of a validator, linked: its name, or its address in short. The address is in its title, and is what is copied. */
export function Address({ of, name: placeName, hasCopy = true }: AddressProps) {
  const person = usePerson(of, placeName);
  const { name } = person ?? {};
  const title = person === undefined ? of : `${of}\n${person.name}: ${person.source}`;
  return (
    <span class="address">
      <Identicon of={of} />
      <a
        href={urlOf(`/${of.includes('valoper1') ? 'validators' : 'accounts'}/${of}`)}
        title={title}
        class={name === undefined ? 'mono' : undefined}
      >
        {name === undefined ? shorten(of) : <bdi>{name}</bdi>}
      </a>
      {hasCopy ? (
        <Copy text={of} name={name === undefined ? texts.value.parts.theAddress : texts.value.parts.addressOf(name)} />
      ) : null}
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
      <Copy text={of} name={texts.value.parts.theHash} />
    </span>
  );
}

/** A link to a block. */
export function Height({ of }: { readonly of: string }) {
  return <a href={urlOf(`/blocks/${of}`)}>{count(of)}</a>;
}
