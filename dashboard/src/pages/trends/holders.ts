import Big from 'big.js';

/** What an account holds of a token, in base units. */
export interface Holding {
  readonly address: string;
  readonly moduleName: string | null;
  readonly amount: string;
}

/** How a supply is distributed over holders. */
export interface Distribution {
  /** The largest holder first. */
  readonly holdings: readonly Holding[];
  /** The share of the supply that each holds, in percent. */
  readonly shares: readonly number[];
  /** The share of the supply that each and all larger ones hold together, in percent. */
  readonly sums: readonly number[];
  /** The share of the supply that others hold, in percent. */
  readonly rest: number;
}

const rounded = (percent: Big): number => percent.round(4, Big.roundHalfUp).toNumber();

/** Orders holders by what they hold. undefined without a supply. */
export function distributionOf(holders: readonly Holding[], supply: string): Distribution | undefined {
  const whole = new Big(supply);
  if (whole.lte(0)) return undefined;
  const holdings = holders.toSorted((one, other) => new Big(other.amount).cmp(one.amount));
  const inPercent = (amount: Big): number => rounded(amount.div(whole).times(100));
  let sum = new Big(0);
  const sums = holdings.map(({ amount }) => {
    sum = sum.plus(amount);
    return inPercent(sum);
  });
  return {
    holdings,
    shares: holdings.map(({ amount }) => inPercent(new Big(amount))),
    sums,
    rest: inPercent(whole.minus(sum)),
  };
}
