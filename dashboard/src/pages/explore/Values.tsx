import { Address, Height, TransactionHash } from '../../components/Address.tsx';
import { Amount, type Money, tokenUrl } from '../../components/Amount.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { Json } from '../../components/Json.tsx';
import { Card } from '../../components/page/Card.tsx';
import { type Fact, Facts } from '../../components/page/Facts.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { shortType, Words } from '../../components/Words.tsx';
import { shorten } from '../../format/addresses.ts';
import { count, countOf } from '../../format/numbers.ts';
import { duration } from '../../format/times.ts';
import { exploreTexts } from '../../language/explore/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { shapeOfJson } from './model/json.ts';
import { linkOf } from './model/links.ts';
import type { MessageShape, Shape, ShapeField } from './model/shape.ts';
import { cellOf, isEmpty, memberOf, tableOf, type ValueColumn } from './model/table.ts';

const dash = <span class="muted">–</span>;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Types whose values are numbers. */
const numbers: readonly string[] = ['Int', 'Float', 'Int64', 'UInt64', 'Decimal'];

const isNumber = (shape: Shape): boolean => shape.kind === 'coin' || (shape.kind === 'leaf' && numbers.includes(shape.type));

/** The longest text of bytes that is shown whole. */
const longest = 24;

interface LeafProps {
  readonly of: unknown;
  readonly type: string;
  readonly isEnum: boolean;
  readonly name: string;
  /** The type of the message that has the value. */
  readonly parent: string;
}

/** A text that names another page. undefined if it names none. */
function linked(text: string, name: string, parent: string) {
  const link = linkOf(text, name, parent);
  switch (link?.kind) {
    case 'account':
      return link.of === text ? <Address of={text} /> : <Operator of={text} account={link.of} />;
    case 'token':
      return <a href={tokenUrl(text)}>{text.length > longest ? shorten(text, [14, 6]) : text}</a>;
    case 'transaction':
      return <TransactionHash of={text} />;
    case 'block':
      return <Height of={text} />;
    case 'page':
      return <a href={urlOf(link.of)}>{text}</a>;
    case undefined:
      return undefined;
  }
}

/** The operator of a validator, linked to its account. */
function Operator({ of, account }: { readonly of: string; readonly account: string }) {
  return (
    <span class="address">
      <a href={urlOf(`/accounts/${account}`)} title={of} class="mono">
        {shorten(of, [14, 6])}
      </a>
      <Copy text={of} name={texts.value.parts.theAddress} />
    </span>
  );
}

/** A value of a scalar or an enum. */
function Leaf({ of, type, isEnum, name, parent }: LeafProps) {
  if (isEmpty(of)) return dash;
  if (typeof of === 'boolean') return of ? texts.value.words.yes : texts.value.words.no;
  if (typeof of === 'object') return <Json of={of} name={exploreTexts.value.result.value} />;
  const text = String(of);
  const link = linked(text, name, parent);
  if (link !== undefined) return link;
  if (isEnum) return <Badge of={text} />;
  if (type === 'DateTime') return <Time of={text} isExact />;
  if (type === 'Duration') return <span title={text}>{duration(text)}</span>;
  if (type === 'Base64' && text.length > longest)
    return (
      <span class="address">
        <span class="mono" title={text}>
          {shorten(text, [12, 6])}
        </span>
        <Copy text={text} name={name} />
      </span>
    );
  if (numbers.includes(type) && /^-?\d+(\.\d+)?$/.test(text))
    return <span class="num">{/id$/i.test(name) ? text : count(text)}</span>;
  return text.length > 40 ? <span class="long-text">{text}</span> : text;
}

function isMoney(value: unknown): value is Money {
  return isText(memberOf(value, 'denom')) && isText(memberOf(value, 'amount'));
}

/** A message of a type that only its value names: in words, and its decoded fields on demand. */
function AnyValue({ of }: { readonly of: unknown }) {
  const [type, inWords, json] = [memberOf(of, 'type'), memberOf(of, 'inWords'), memberOf(of, 'json')];
  return (
    <div class="any">
      <Words type={String(type)} inWords={isText(inWords) ? inWords : null} />
      {isText(inWords) ? <p class="type small">{shortType(String(type))}</p> : null}
      {isEmpty(json) ? null : (
        <details class="fold" open={!isText(inWords)}>
          <summary>{exploreTexts.value.result.decoded}</summary>
          <MessageView of={json} shape={shapeOfJson([json])} />
        </details>
      )}
    </div>
  );
}

interface ValueProps {
  readonly of: unknown;
  readonly shape: Shape;
  readonly name: string;
  readonly parent: string;
}

/** A value that is no list. */
function Value({ of, shape, name, parent }: ValueProps) {
  if (isEmpty(of)) return dash;
  switch (shape.kind) {
    case 'leaf':
      return <Leaf of={of} type={shape.type} isEnum={shape.isEnum} name={name} parent={parent} />;
    case 'coin':
      return isMoney(of) ? <Amount of={of} /> : dash;
    case 'any':
      return <AnyValue of={of} />;
    case 'message':
      return <MessageView of={of} shape={shape} />;
  }
}

/** A value or a list of values that fit a line or a cell. */
function Values({ of, ...rest }: ValueProps) {
  if (!Array.isArray(of)) return <Value of={of} {...rest} />;
  if (of.length === 0) return dash;
  return (
    <span class={rest.shape.kind === 'coin' ? 'amounts' : 'stack'}>
      {of.map((item, index) => (
        <span key={index}>
          <Value of={item} {...rest} />
        </span>
      ))}
    </span>
  );
}

interface MessageViewProps {
  readonly of: unknown;
  readonly shape: MessageShape;
  /** Whether it is the whole result: its lists and messages are cards. */
  readonly isWhole?: boolean;
}

/** A list of messages has a table; a nested message can be folded. */
const isNested = ({ shape }: ShapeField): boolean => shape.kind === 'message';

/** A message: its values, and its messages and lists below them. */
export function MessageView({ of, shape, isWhole = false }: MessageViewProps) {
  const plain = shape.fields.filter((field) => !isNested(field) && !(isWhole && (field.isList || field.shape.kind === 'any')));
  const facts = plain.map(
    ({ name, shape: inner }): Fact => [
      name,
      <Values key={name} of={memberOf(of, name)} shape={inner} name={name} parent={shape.type} />,
    ],
  );
  const others = shape.fields.filter((field) => !plain.includes(field));
  if (!isWhole)
    return (
      <div class="message">
        <Facts of={facts} />
        {others.map((field) => (
          <Fold key={field.name} of={memberOf(of, field.name)} field={field} />
        ))}
        {shape.fields.length === 0 ? (
          <span class="muted">{shape.omitted.length > 0 ? '…' : exploreTexts.value.result.emptyMessage}</span>
        ) : null}
      </div>
    );
  return (
    <>
      {facts.length === 0 ? null : (
        <Card title={texts.value.words.result}>
          <Facts of={facts} />
        </Card>
      )}
      {others.map((field) => (
        <Part key={field.name} of={memberOf(of, field.name)} field={field} parent={shape.type} />
      ))}
      {shape.fields.length === 0 ? (
        <Card title={texts.value.words.result}>
          <p class="empty">{exploreTexts.value.result.noFields}</p>
        </Card>
      ) : null}
    </>
  );
}

/** A field of the result with a card of its own. */
function Part({ of, field, parent }: { readonly of: unknown; readonly field: ShapeField; readonly parent: string }) {
  const { name, shape, isList } = field;
  if (!isList)
    return (
      <Card title={name}>
        {isEmpty(of) ? (
          <p class="empty">{exploreTexts.value.result.notSet}</p>
        ) : (
          <Value of={of} shape={shape} name={name} parent={parent} />
        )}
      </Card>
    );
  const items = Array.isArray(of) ? of : [];
  return (
    <Card title={name} aside={countOf(items.length, texts.value.counts.items)}>
      <List of={items} field={field} parent={parent} />
    </Card>
  );
}

/** A list: messages in a table, other values one below the other. */
function List({ of, field, parent }: { readonly of: readonly unknown[]; readonly field: ShapeField; readonly parent: string }) {
  const { name, shape } = field;
  if (of.length === 0) return <p class="empty">{exploreTexts.value.result.emptyList}</p>;
  if (shape.kind === 'message') return <MessageTable of={of} shape={shape} name={name} />;
  const values = of.map((item) => memberOf(item, 'json'));
  if (shape.kind === 'any' && of.every((item, index) => isEmpty(memberOf(item, 'inWords')) && !isEmpty(values[index])))
    return <MessageTable of={values} shape={shapeOfJson(values)} name={name} />;
  if (shape.kind === 'coin') return <CoinTable of={of.filter(isMoney)} name={name} />;
  return (
    <ul class="plain-list">
      {of.map((item, index) => (
        <li key={index}>
          <Value of={item} shape={shape} name={name} parent={parent} />
        </li>
      ))}
    </ul>
  );
}

/** Coins in a table: in display units, and as the chain counts them. */
function CoinTable({ of, name }: { readonly of: readonly Money[]; readonly name: string }) {
  return (
    <Table
      name={name}
      keyOf={({ denom }) => denom}
      rows={of}
      columns={[
        { name: 'amount', class: 'num', cell: (coin) => <Amount of={coin} /> },
        {
          name: exploreTexts.value.result.baseUnits,
          class: 'num wide',
          cell: ({ amount }) => <span class="num">{count(amount)}</span>,
        },
        { name: 'denom', class: 'fill', cell: ({ denom }) => <a href={tokenUrl(denom)}>{denom}</a> },
      ]}
    />
  );
}

/** A nested message or list, opened on demand. */
function Fold({ of, field }: { readonly of: unknown; readonly field: ShapeField }) {
  const { name, shape, isList } = field;
  if (isEmpty(of))
    return (
      <p class="fold-empty">
        <span class="muted">{name}</span> {dash}
      </p>
    );
  const items = Array.isArray(of) ? of : undefined;
  return (
    <details class="fold" open={items === undefined || items.length <= 10}>
      <summary>
        {name}
        {items === undefined ? null : <span class="small"> {countOf(items.length, texts.value.counts.items)}</span>}
      </summary>
      {isList ? <List of={items ?? []} field={field} parent="" /> : <Value of={of} shape={shape} name={name} parent="" />}
    </details>
  );
}

interface Row {
  readonly index: number;
  readonly value: unknown;
}

function columnOf(column: ValueColumn): Column<Row> {
  const { path, shape, type } = column;
  return {
    name: path.join(' '),
    class: isNumber(shape) ? 'num' : undefined,
    cell: ({ value }) => <Values of={cellOf(value, column)} shape={shape} name={path.at(-1) ?? ''} parent={type} />,
  };
}

/** Messages in a table. What has no column is in the last one, opened on demand. */
function MessageTable({
  of,
  shape,
  name,
}: {
  readonly of: readonly unknown[];
  readonly shape: MessageShape;
  readonly name: string;
}) {
  const { columns, rest, empty } = tableOf(shape, of);
  const more: Column<Row> = {
    name: 'more',
    cell: ({ value }) => (
      <details class="more">
        <summary>{rest.map((field) => field.name).join(', ')}</summary>
        <MessageView of={value} shape={{ ...shape, fields: rest }} />
      </details>
    ),
  };
  return (
    <>
      <Table
        name={name}
        keyOf={({ index }: Row) => String(index)}
        rows={of.map((value, index) => ({ index, value }))}
        columns={rest.length === 0 ? columns.map(columnOf) : [...columns.map(columnOf), more]}
      />
      {empty.length === 0 ? null : (
        <p class="note">
          {exploreTexts.value.result.noRow} <code class="break">{empty.join(', ')}</code>.
        </p>
      )}
    </>
  );
}
