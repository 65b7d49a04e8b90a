import Big from 'big.js';
import { count } from '../../format/numbers.ts';
import { exact } from '../../format/times.ts';
import { texts } from '../../language/language.ts';
import type { ChartProps } from './chartProps.ts';

/** A value of a chart in words, as exact as a number of JavaScript. */
export const shownValue = (value: number | null | undefined): string =>
  value == null ? texts.value.format.notKnown : count(new Big(value).toFixed());

/** What a place of a chart is, in words. */
export const headAt = ({ times, heads }: ChartProps, index: number): string =>
  heads?.[index] ?? exact(new Date(times[index] ?? 0).toISOString());
