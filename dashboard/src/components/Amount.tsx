import { shorten } from '../format/addresses.ts';
import { count, rounded } from '../format/numbers.ts';
import { urlOf } from '../routing/router.ts';

/** A coin of the API. */
export interface Money {
  readonly denom: string;
  readonly amount: string;
  readonly display: { readonly amount: string; readonly denom: string; readonly symbol: string } | null;
}

/** A coin with its value. */
export interface ValuedMoney extends Money {
  /** undefined if the chain has no prices. */
  readonly value?: {
    readonly amount: string;
    readonly denom: string;
    readonly display: { readonly amount: string; readonly denom: string; readonly symbol: string } | null;
  } | null;
}

/** The URL of the page of a denom. */
export function tokenUrl(denom: string): string {
  return urlOf(`/tokens/${denom.split('/').map(encodeURIComponent).join('/')}`);
}

/** The longest denom that is shown whole. */
const longest = 24;

/** The unit that an amount is shown in. The middle of a long denom, such as that of a scope, is left out. */
export function unitOf({ denom, display }: Money): string {
  const unit = display === null ? denom : display.symbol || display.denom;
  return unit.length > longest ? shorten(unit, [14, 6]) : unit;
}

/** An amount, exact and in its display unit. The title has it in base units. */
export function Amount({ of, isPlain = false }: { readonly of: Money; readonly isPlain?: boolean }) {
  const unit = unitOf(of);
  return (
    <span class="amount" title={`${count(of.amount)} ${of.denom}`}>
      <span class="num">{count(of.display?.amount ?? of.amount)}</span>{' '}
      {isPlain ? (
        <span class="unit">{unit}</span>
      ) : (
        <a href={tokenUrl(of.denom)} class="unit">
          {unit}
        </a>
      )}
    </span>
  );
}

/** Amounts, one after the other. A dash if there are none. */
export function Amounts({ of }: { readonly of: readonly Money[] }) {
  if (of.length === 0) return <span class="muted">–</span>;
  return (
    <span class="amounts">
      {of.map((coin) => (
        <Amount key={coin.denom} of={coin} />
      ))}
    </span>
  );
}

/** The value of a coin, rounded to two decimals; the title has it exactly. A dash if it has none. */
export function Value({ of }: { readonly of: ValuedMoney['value'] }) {
  if (of === undefined) return null;
  if (of === null) return <span class="muted">–</span>;
  const { amount, symbol, denom } = of.display ?? { amount: of.amount, denom: of.denom, symbol: '' };
  const unit = symbol || denom.toUpperCase();
  return (
    <span class="amount" title={`${count(amount)} ${unit}`}>
      <span class="num">{rounded(amount)}</span> <span class="unit">{unit}</span>
    </span>
  );
}
