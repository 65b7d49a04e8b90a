import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { book } from '../data/book.ts';
import { stele } from '../data/stele.ts';
import { accountOfOperator } from '../format/addresses.ts';
import { personName, readableName } from '../format/names.ts';
import { NamesDocument, type NamesQuery } from '../gen/graphql.ts';
import { texts } from '../language/language.ts';

/** What an account is called, and who calls it so. */
export interface Person {
  readonly name: string;
  /** Where the name comes from, as a clause: `the name of a module`. */
  readonly source: string;
}

type NamedAccount = NonNullable<NamesQuery['_entities'][number]>;

/** What a page calls accounts, by address, such as the members of its group. */
export const NamesOfPage = createContext<ReadonlyMap<string, string>>(new Map());

/** What a group calls its members, by address. */
export function namesOf(
  members: readonly { readonly metadata: string; readonly account: { readonly address: string } }[] = [],
): ReadonlyMap<string, string> {
  return new Map(members.map(({ account, metadata }) => [account.address, metadata]));
}

/** What the chain calls accounts; undefined for one without a name. Read once for each address, at the newest block. */
const chainNames = signal<ReadonlyMap<string, Person | undefined>>(new Map());

/** Addresses that are shown and were not asked for yet. */
let waiting = new Set<string>();
const askedFor = new Set<string>();

/** How long addresses of a page are collected for one request, in ms. */
const collection = 40;

/** The most addresses of one request. */
const most = 50;

function personOf(account: NamedAccount): Person | undefined {
  const { moduleName, groupPolicy, contract, marker, names, validator, memberships } = account;
  const [member] = memberships?.nodes ?? [];
  const group = readableName(member?.group?.metadata ?? '') || texts.value.people.itsGroup;
  const candidates: readonly (readonly [name: string | null | undefined, source: string])[] = [
    [moduleName, texts.value.people.module],
    [groupPolicy && readableName(groupPolicy.metadata), texts.value.people.policy],
    [contract?.label, texts.value.people.contract],
    [marker?.denom, texts.value.people.marker],
    [names?.nodes[0]?.name, texts.value.people.bound],
    [validator?.moniker, texts.value.people.validator],
    [member && readableName(member.metadata), texts.value.people.member(group)],
  ];
  for (const [candidate, source] of candidates) {
    const name = personName(candidate);
    if (name !== undefined) return { name, source };
  }
  return undefined;
}

async function read(addresses: readonly string[]): Promise<void> {
  const accounts = addresses.map((address) => ({ __typename: 'Account', address }));
  // Without an answer, the addresses are shown as they are, and asked for again when a page shows them next.
  const answer = await stele.query(NamesDocument, { accounts }).catch(() => undefined);
  if (answer === undefined) return addresses.forEach((address) => void askedFor.delete(address));
  const read = (answer.data?._entities ?? []).map(
    (account, index) => [addresses[index] ?? '', account && personOf(account)] as const,
  );
  chainNames.value = new Map([
    ...chainNames.value,
    ...read.map(([address, person]) => [address, person ?? undefined] as const),
  ]);
}

/** Asks for the name of an account, together with all others that are shown now. */
function ask(address: string): void {
  if (askedFor.has(address)) return;
  askedFor.add(address);
  if (waiting.size === 0)
    setTimeout(() => {
      const all = [...waiting];
      waiting = new Set();
      for (let from = 0; from < all.length; from += most) void read(all.slice(from, from + most));
    }, collection);
  waiting.add(address);
}

/** What an account is called: in the visitor's address book, by the part of the page that shows it (`placeName`), by the page, or by the chain. */
export function usePerson(address: string, placeName?: string | null): Person | undefined {
  const pageName = useContext(NamesOfPage).get(address);
  const ownName = book.value[address];
  const name = personName(placeName) ?? personName(pageName);
  // The operator of a validator is the account of the same key.
  const account = accountOfOperator(address) ?? address;
  const isAsked = ownName === undefined && name === undefined;
  useEffect(() => {
    if (isAsked) ask(account);
  }, [account, isAsked]);
  if (ownName !== undefined) return { name: ownName, source: texts.value.people.inBook };
  return name === undefined ? chainNames.value.get(account) : { name, source: texts.value.people.onPage };
}
