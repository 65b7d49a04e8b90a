import Big from 'big.js';
import { actingTexts } from '../language/acting/texts.ts';
import { count } from './numbers.ts';

/** A coin whose denom an amount is entered in. */
export interface Holding {
  readonly denom: string;
  /** What can be spent at most, in base units. */
  readonly amount: string;
  /** One display unit is 10^exponent base units. null if the denom has no display unit. */
  readonly display: { readonly exponent: number } | null;
}

/** What an entered text was read as, or why it is refused. Neither if it is empty. */
export interface Entered {
  readonly value?: string;
  readonly problem?: string;
}

/** An amount of base units in the display unit, exact. */
export function displayUnits(amount: string, { display }: Pick<Holding, 'display'>): string {
  return new Big(amount).times(`1e-${display?.exponent ?? 0}`).toFixed();
}

const readings = (text: string, one: string, other: string): string =>
  actingTexts.value.payment.twoReadings(text, count(one), count(other), one, other);

/** Why a text is no amount. undefined if it is one: digits, and a point before decimals. */
function formProblem(text: string): string | undefined {
  const [, whole = '', group = ''] = /^(\d+)[.,](\d+)$/.exec(text) ?? [];
  // `1.500` is 1.5 where a comma separates decimals, and 1500 where a point separates thousands.
  if (/^[1-9]\d{0,2}$/.test(whole) && group.length === 3)
    return readings(text, `${whole}.${group.endsWith('0') ? group.slice(0, 2) : `${group}0`}`, whole + group);
  if (/^0+$/.test(whole) && text.includes(','))
    return actingTexts.value.payment.zeroReading(text, count(`0.${group}`), `0.${group}`);
  if (group !== '' && text.includes(',')) return readings(text, `${whole}.${group}`, whole + group);
  if (/^\d+(\.\d+)?$/.test(text)) return undefined;
  if (/^\d[\d.,'_\s]*\d$/.test(text)) return actingTexts.value.payment.noSeparators;
  return actingTexts.value.payment.notAmount;
}

/**
 * Reads an amount in display units, as a visitor enters it. A text with more than one meaning, such as `1,5` or `1.500`, is refused, and so are more
 * decimals than the denom has, zero, and more than the holder has. The value is in base units. `unit` is the name of the display unit, and `holder`
 * that of the holder at the start of a sentence.
 */
export function readAmount(text: string, coin: Holding, unit: string, holder: string): Entered {
  const entered = text.trim();
  if (entered === '') return {};
  const problem = formProblem(entered);
  if (problem !== undefined) return { problem };
  const exponent = coin.display?.exponent ?? 0;
  const decimals = entered.split('.')[1]?.length ?? 0;
  if (decimals > exponent)
    return {
      problem:
        exponent === 0
          ? actingTexts.value.payment.noDecimals(unit)
          : actingTexts.value.payment.decimals(unit, String(exponent)),
    };
  const amount = new Big(entered).times(`1e${exponent}`);
  if (amount.eq(0)) return { problem: actingTexts.value.payment.notZero };
  if (amount.gt(coin.amount))
    return { problem: actingTexts.value.payment.holdsOnly(holder, count(displayUnits(coin.amount, coin)), unit) };
  return { value: amount.toFixed() };
}
