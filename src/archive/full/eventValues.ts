import { createHash } from 'node:crypto';
import type { Event } from '../../chain/base/execution.ts';
import { type BlockContents, readBlock, transactionEvents } from './blockContents.ts';
import type { EventPlace } from './places.ts';

/** What an indexed value belongs to: an event of a transaction or of a block, or an account of a transaction. */
export type TagKind = 'tx' | 'block' | 'account';

/** The stored name of a tag. */
export function tagName(kind: TagKind, tag: string): string {
  return `${kind}/${tag}`;
}

/** Longer values are shortened in the index, in characters. */
const longest = 100;

/** Begins a shortened value. */
const shortMark = '\u0002';

/** The text of a value in the index. Equal values have equal texts, and different values different ones. */
export function indexedText(value: string): string {
  if (value.length <= longest && !value.startsWith(shortMark)) return value;
  return `${shortMark}${createHash('sha256').update(value).digest('base64url')}`;
}

/** Whether a text of the index stands for a longer value. */
export function isShortened(text: string): boolean {
  return text.startsWith(shortMark);
}

/** The places of a value of a tag in a block. */
export interface ValuePlaces {
  readonly tag: string;
  readonly text: string;
  readonly places: readonly EventPlace[];
  /** The number of different items in the places. */
  readonly items: number;
}

/** Collects the values of the events of a block. */
interface Collector {
  add(kind: TagKind, tag: string, value: string, place: EventPlace): void;
  values(): readonly ValuePlaces[];
}

function createCollector(): Collector {
  const byTag = new Map<string, Map<string, EventPlace[]>>();
  return {
    add(kind, tag, value, place) {
      const name = tagName(kind, tag);
      const ofTag = byTag.get(name) ?? new Map<string, EventPlace[]>();
      byTag.set(name, ofTag);
      const places = ofTag.get(value);
      if (places === undefined) ofTag.set(value, [place]);
      else {
        const last = places.at(-1);
        if (last?.item !== place.item || last.event !== place.event) places.push(place);
      }
    },
    values: () =>
      [...byTag].flatMap(([tag, ofTag]) =>
        [...ofTag].map(([value, places]) => ({
          tag,
          text: indexedText(value),
          places,
          items: places.reduce((count, { item }, index) => (places[index - 1]?.item === item ? count : count + 1), 0),
        })),
      ),
  };
}

/** An address of 20 or 32 bytes in bech32, in lower or in upper case. The prefix is the first or the second group. */
const address =
  /\b(?:([a-z]{1,20})1(?:[02-9ac-hj-np-z]{58}|[02-9ac-hj-np-z]{38})|([A-Z]{1,20})1(?:[02-9AC-HJ-NP-Z]{58}|[02-9AC-HJ-NP-Z]{38}))\b/g;

/** The address in an attribute of the signature check, which names a signer with its sequence. */
const signature = /^(([a-z]{1,20})1[02-9ac-hj-np-z]+)\/\d+$/;

/** The tags of the accounts of a transaction. */
export const accountTags = { SIGNER: 'SIGNER', ANY: 'ANY' } as const;

/** Adds the accounts of a transaction: its signers, and every account of the same prefix that its events name. */
function addAccounts(collector: Collector, item: number, events: readonly Event[]): void {
  const place = { item, event: 0 };
  const signers = events
    .flatMap(({ type, attributes }) => (type === 'tx' ? attributes : []))
    .flatMap(({ key, value }) => (key === 'acc_seq' ? (signature.exec(value)?.slice(1, 3) ?? []) : []));
  const prefix = signers[1];
  const named = new Set<string>();
  for (const { attributes } of events)
    for (const { value } of attributes)
      if (value.length >= 40)
        for (const [found, lower, upper] of value.matchAll(address))
          if (prefix === undefined || (lower ?? upper?.toLowerCase()) === prefix) named.add(found.toLowerCase());
  for (const signer of new Set(signers.filter((_, index) => index % 2 === 0))) {
    named.add(signer);
    collector.add('account', accountTags.SIGNER, signer, place);
  }
  for (const account of named) collector.add('account', accountTags.ANY, account, place);
}

function addEvents(collector: Collector, kind: TagKind, item: number, events: readonly Event[]): void {
  events.forEach(({ type, attributes }, event) => {
    if (type === '') return;
    for (const { key, value, index } of attributes)
      if (index && key !== '') collector.add(kind, `${type}.${key}`, value, { item, event });
  });
}

/** The values that the index holds for a block. They depend on the contents alone. */
export function eventValues({ block, transactions }: BlockContents): readonly ValuePlaces[] {
  const collector = createCollector();
  addEvents(collector, 'block', 0, readBlock(block).events);
  transactions.forEach(({ content }, item) => {
    const events = transactionEvents(content);
    addEvents(collector, 'tx', item, events);
    addAccounts(collector, item, events);
  });
  return collector.values();
}
