/** A range of a statement, as `Account.statement` takes it: heights, or times of RFC 3339. Without `to`, it ends at the block that the page shows. */
export interface StatementRange {
  readonly from: string;
  readonly to?: string;
}

/** The names of the ranges that the page offers. */
export const presets = ['month', 'last-month', 'quarter', 'year'] as const;

export type Preset = (typeof presets)[number];

/** Whether a text names an offered range. */
export const isPreset = (text: string | null): text is Preset => presets.some((preset) => preset === text);

/** The start of a month in UTC, without fractions of seconds. Months outside of 0 to 11 are those of other years. */
const monthStart = (year: number, month: number): string => new Date(Date.UTC(year, month)).toISOString().replace('.000Z', 'Z');

/** An offered range. `now` is the time of the block that the page shows, in ms. */
export function presetRange(preset: Preset, now: number): StatementRange {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (preset === 'year') return { from: monthStart(year, 0) };
  if (preset === 'quarter') return { from: monthStart(year, month - (month % 3)) };
  if (preset === 'month') return { from: monthStart(year, month) };
  return { from: monthStart(year, month - 1), to: monthStart(year, month) };
}

/** The start of a day in UTC, or that of the day after it. undefined if the calendar does not have the day. */
function dayStart(text: string, days: 0 | 1): string | undefined {
  const time = Date.parse(`${text}T00:00:00Z`);
  // A browser may take 31 February for a day of March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) return undefined;
  return new Date(time + days * 86_400_000).toISOString().replace('.000Z', 'Z');
}

/**
 * Reads a place of a range as a visitor enters it: a height, a day (in UTC; as an end, the whole day belongs to the range), or a time of RFC 3339. undefined for other
 * texts.
 */
export function readPlace(text: string, side: 'from' | 'to'): string | undefined {
  const entered = text.trim();
  const height = entered.replaceAll(',', '');
  if (/^[1-9]\d{0,17}$/.test(height)) return height;
  if (/^\d{4}-\d{2}-\d{2}$/.test(entered)) return dayStart(entered, side === 'from' ? 0 : 1);
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(entered) && !Number.isNaN(Date.parse(entered))
    ? entered
    : undefined;
}

/** Whether a place is a time after another, in ms. Heights are not. */
export const isAfter = (place: string, time: number): boolean => place.includes('T') && Date.parse(place) > time;
