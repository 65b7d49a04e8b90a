import { computed } from '@preact/signals';
import { locale, texts } from '../language/language.ts';

const units = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
  [1, 'seconds'],
] as const;

/** A length of time in its two largest units: `3 d 4 h`, `12 s`. `seconds` is not negative. */
export function span(seconds: number): string {
  const total = Math.floor(seconds);
  const index = units.findIndex(([size]) => total >= size);
  const [size, name] = units[index] ?? [1, 'seconds'];
  const first = Math.floor(total / size);
  const [nextSize, nextName] = units[index + 1] ?? [];
  const second = nextSize === undefined ? 0 : Math.floor((total % size) / nextSize);
  const { format } = texts.value;
  const rest = nextName !== undefined && second > 0 && size > 60 ? ` ${second} ${format[nextName]}` : '';
  return `${first} ${format[name]}${rest}`;
}

/** A time relative to another, both in ms: `12 s ago`, `in 3 d 4 h`, `now`. */
export function relative(time: number, reference: number): string {
  const seconds = Math.round((time - reference) / 1_000);
  if (Math.abs(seconds) < 1) return texts.value.format.now;
  const { ahead, ago } = texts.value.format;
  return seconds > 0 ? ahead(span(seconds)) : ago(span(-seconds));
}

/** A duration of the API, such as `604800s`, in words. */
export function duration(text: string): string {
  const seconds = Number(text.replace(/s$/, ''));
  if (seconds === 0) return texts.value.format.none;
  return seconds < 1 ? `${Math.round(seconds * 1_000)} ms` : span(seconds);
}

const exactTimes = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'medium' }));

/** A time of the API in the time zone of the browser, to the second. */
export function exact(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : exactTimes.value.format(date);
}
