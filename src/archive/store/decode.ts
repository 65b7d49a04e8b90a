import type { Row } from '../database/connection.ts';
import { integerAt, integerOrNull, numberAt, textOrNull } from '../database/row.ts';
import type { KnownPlace, Place, RecordedAny, RecordedTally, UncertainPlace } from '../facts.ts';

function listIn(text: string): readonly unknown[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new TypeError('a list in the archive is not a list');
  return list;
}

/** The texts of a stored list. */
export function textsIn(text: string): readonly string[] {
  return listIn(text).map(String);
}

/** The protobuf `Any` of a stored text. */
export function anyIn(text: string): RecordedAny {
  const [type = '', value = ''] = textsIn(text);
  return { type, value: new Uint8Array(Buffer.from(value, 'base64')) };
}

/** The tally of a stored text; null if there is none. */
export function tallyIn(text: string | null): RecordedTally | null {
  if (text === null) return null;
  const [yesCount = '0', abstainCount = '0', noCount = '0', noWithVetoCount = '0'] = textsIn(text);
  return { yesCount, abstainCount, noCount, noWithVetoCount };
}

/** The place in the columns `height`, `ord`, `time` and `hash` with a prefix; null if the height is. */
export function placeIn(row: Row, prefix = ''): Place | null {
  const height = integerOrNull(row, `${prefix}height`);
  if (height === null) return null;
  return {
    height,
    order: numberAt(row, `${prefix}ord`),
    time: integerAt(row, `${prefix}time`),
    hash: textOrNull(row, `${prefix}hash`),
  };
}

/** As {@link placeIn}, where at least the time is known. */
export function knownPlaceIn(row: Row, prefix = ''): KnownPlace {
  return placeIn(row, prefix) ?? { height: null, time: integerAt(row, `${prefix}time`) };
}

/** As {@link placeIn}, where nothing may be known. */
export function uncertainPlaceIn(row: Row, prefix = ''): UncertainPlace {
  const time = integerOrNull(row, `${prefix}time`);
  return time === null ? { height: null, time } : knownPlaceIn(row, prefix);
}
