import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';

/** What a cursor of a result continues: the rest of one list or text, at the height of the first part. */
interface Rest {
  readonly height: string;
  /** Where the list or text is in the data. */
  readonly path: Path;
  /** The items or characters that were sent. */
  readonly from: number;
}

type Path = readonly (string | number)[];

/** Identifies a call without its cursor. */
function callHash(tool: string, args: object): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, args]))
    .digest('base64url')
    .slice(0, 12);
}

function writeCursor({ height, path, from }: Rest, tool: string, args: object): string {
  return Buffer.from(JSON.stringify([callHash(tool, args), height, from, ...path])).toString('base64url');
}

/** Reads a cursor. Throws BAD_USER_INPUT if it belongs to another call. */
export function readCursor(cursor: string, tool: string, args: object): Rest {
  const refusal = badInput('cursor', cursor, 'the `cursor` of an earlier result of this tool, with the same arguments');
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parts)) throw refusal;
  const [hash, height, from, ...path] = parts;
  const isPath = path.every((each) => typeof each === 'string' || (Number.isInteger(each) && each >= 0));
  if (hash !== callHash(tool, args) || typeof height !== 'string' || !Number.isInteger(from) || from < 0 || !isPath)
    throw refusal;
  return { height, path, from };
}

function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  let reached = value;
  for (const key of path) {
    if (Array.isArray(reached)) reached = reached[Number(key)];
    else reached = isJsonObject(reached) && Object.hasOwn(reached, key) ? reached[key] : undefined;
  }
  return reached;
}

const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));

/** The bytes that the entry of a cut list or text takes, with a long path. */
const entryBytes = 700;

/** The shortest part of a text that is sent, in characters. */
const leastText = 100;

/** The largest list or text in a value that can still be cut, and that is not in `triedPaths`. */
function largest(
  value: JsonValue,
  triedPaths: ReadonlySet<string>,
  path: Path = [],
): { path: Path; bytes: number } | undefined {
  const isList = Array.isArray(value);
  if ((isList && value.length > 1) || (typeof value === 'string' && value.length > leastText)) {
    if (!triedPaths.has(JSON.stringify(path))) return { path, bytes: bytesOf(value) };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: [string | number, JsonValue | undefined][] = isList ? [...value.entries()] : Object.entries(value);
  let largestMember: { path: Path; bytes: number } | undefined;
  for (const [key, each] of entries) {
    const memberLargest = each === undefined ? undefined : largest(each, triedPaths, [...path, key]);
    if (memberLargest !== undefined && memberLargest.bytes > (largestMember?.bytes ?? 0)) largestMember = memberLargest;
  }
  return largestMember;
}

/** The longest beginning of a list or text within so many bytes, and at least one item or {@link leastText} characters. */
function beginning(value: JsonValue[] | string, bytes: number): JsonValue[] | string {
  if (typeof value === 'string') {
    let length = value.length;
    while (length > leastText && bytesOf(value.slice(0, length)) > bytes)
      length = Math.max(leastText, Math.floor(length * 0.9));
    // Half of a character is none.
    if (/[\ud800-\udbff]/.test(value.charAt(length - 1))) length -= 1;
    return value.slice(0, length);
  }
  let size = 2;
  let count = 0;
  for (const item of value) {
    size += bytesOf(item) + 1;
    if (size > bytes && count > 0) break;
    count += 1;
  }
  return value.slice(0, count);
}

function replaced(value: JsonValue, path: Path, by: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === key && each !== undefined ? replaced(each, rest, by) : each]),
  );
}

/** The call that a result belongs to. */
export interface ResultOf {
  readonly tool: string;
  /** The arguments without the cursor. */
  readonly args: object;
  readonly height: string;
  /** What the call continues. undefined for a first part. */
  readonly rest: Rest | undefined;
}

/**
 * The members of a result that fit into so many bytes: `data`, or the `part` that a cursor asks for. Lists and texts that are too long are cut, the largest
 * first, and `more` has a cursor for the rest of each. undefined if the result does not fit even then. Throws BAD_USER_INPUT if the cursor leads nowhere.
 */
export function fitResult(data: JsonValue, maxBytes: number, { tool, args, height, rest }: ResultOf): JsonObject | undefined {
  let content = data;
  if (rest !== undefined) {
    const whole = valueAt(data, rest.path);
    if (!Array.isArray(whole) && typeof whole !== 'string')
      throw badInput('cursor', '', 'one of a list or text that the result has');
    content = whole.slice(rest.from);
  }
  const more: JsonValue[] = [];
  const triedPaths = new Set<string>();
  const result = (): JsonObject => ({
    ...(rest === undefined ? { data: content } : { part: { path: [...rest.path], from: rest.from, content } }),
    ...(more.length > 0 && { more }),
  });
  for (let size = bytesOf(result()); size > maxBytes; size = bytesOf(result())) {
    const excess = largest(content, triedPaths);
    if (excess === undefined) return undefined;
    const value = valueAt(content, excess.path);
    if (!Array.isArray(value) && typeof value !== 'string') return undefined;
    triedPaths.add(JSON.stringify(excess.path));
    const shortValue = beginning(value, excess.bytes - (size - maxBytes) - entryBytes);
    if (shortValue.length === value.length) continue;
    content = replaced(content, excess.path, shortValue);
    const [first, ...others] = excess.path;
    const before = rest === undefined || first === undefined ? 0 : rest.from;
    const ownPath = typeof first === 'number' ? [first + before, ...others] : excess.path;
    const path = [...(rest?.path ?? []), ...ownPath];
    const sentLength = (excess.path.length === 0 ? (rest?.from ?? 0) : 0) + shortValue.length;
    const total = (excess.path.length === 0 ? (rest?.from ?? 0) : 0) + value.length;
    more.push({ path, sent: sentLength, total, cursor: writeCursor({ height, path, from: sentLength }, tool, args) });
  }
  return result();
}
