import { type ASTNode, type DocumentNode, getDirectiveValues, getOperationAST, visit } from 'graphql';
import type { Caller } from '../../answers/caller.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { badInput } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { timeInput } from '../../reads/input.ts';
import { liveDirective } from '../documents/operationChecks.ts';
import type { SubscriptionOperation } from '../subscriptions/subscriber.ts';

/** The part of the past that a history covers, as a request names it: heights or times. */
export interface RangeInput {
  readonly from: string;
  readonly to: string | undefined;
  readonly every: bigint | undefined;
}

/** The most blocks between two results of `every`. */
const longestEvery = 1_000_000_000;

function everyInput(name: string, value: unknown): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestEvery) return BigInt(value);
  throw badInput(name, String(value), `an integer from 1 to ${longestEvery}`);
}

function placeText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw badInput(name, typeof value, 'a height as text, or an RFC 3339 time in UTC');
}

/** The range that the directive of a live query names; undefined if it begins at the newest block. Throws BAD_USER_INPUT. */
export function liveRange({ document, operationName, variableValues }: SubscriptionOperation): RangeInput | undefined {
  const operation = getOperationAST(document, operationName);
  const { from, to, every } = (operation && getDirectiveValues(liveDirective, operation, variableValues ?? {})) ?? {};
  const range = { from: placeText('from', from), to: placeText('to', to), every: everyInput('every', every) };
  if (range.from !== undefined) return { ...range, from: range.from };
  if (range.to !== undefined || range.every !== undefined) throw badInput('from', '', 'given with `to` and `every`');
  return undefined;
}

/** What `extensions.history` of a request asks for. */
export interface PageInput extends RangeInput {
  /** The most changes in the page. */
  readonly first: number;
}

/** Changes in a page of which the request does not say how many. */
const defaultFirst = 50;

/** Reads `extensions.history`. Throws BAD_USER_INPUT. */
export function pageInput(value: object, limits: Limits): PageInput {
  const members = new Map<string, unknown>(Object.entries(value));
  const name = 'extensions.history';
  const from = placeText(`${name}.from`, members.get('from'));
  if (from === undefined) throw badInput(`${name}.from`, '', 'a height as text, or an RFC 3339 time in UTC');
  const max = limits['history.executions'];
  const first = members.get('first') ?? Math.min(defaultFirst, max);
  if (typeof first !== 'number' || !Number.isInteger(first) || first < 1 || first > max)
    throw badInput(`${name}.first`, String(first), `an integer from 1 to ${max}`);
  return {
    from,
    to: placeText(`${name}.to`, members.get('to')),
    every: everyInput(`${name}.every`, members.get('every')),
    first,
  };
}

/** The height that a text names, as a height or as a time. `caller` is charged a point for each call that the search of a time makes. Rejects with BAD_USER_INPUT, and with the codes of heights. */
export async function heightOfPlace(
  client: Pick<Client, 'heightAt'>,
  name: string,
  text: string,
  newest: bigint,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller: Pick<Caller, 'charge'> },
): Promise<bigint> {
  if (/^\d{1,19}$/.test(text)) return checkHeight(name, BigInt(text), newest);
  if (!text.includes('T')) throw badInput(name, text, 'a height as text, or an RFC 3339 time in UTC');
  return checkHeight(
    name,
    await client.heightAt(timeInput(name, text), { signal, charge: (calls) => caller.charge(calls) }),
    newest,
  );
}

/** Documents without the arguments of `@live`, by the document. */
const plain = new WeakMap<DocumentNode, DocumentNode>();

function variablesOf(node: ASTNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(node, { VariableDefinition: () => false, Variable: ({ name }) => void names.add(name.value) });
  return names;
}

/** The document without the arguments of `@live`, and without the variables that only they use: equal for all who are at the newest block. */
export function withoutRange(document: DocumentNode): DocumentNode {
  const knownDocument = plain.get(document);
  if (knownDocument !== undefined) return knownDocument;
  const withoutArguments: DocumentNode = visit(document, {
    Directive: (node) => (node.name.value === liveDirective.name ? { ...node, arguments: [] } : undefined),
  });
  const usedNames = variablesOf(withoutArguments);
  const before = variablesOf(document);
  const stripped: DocumentNode = visit(withoutArguments, {
    VariableDefinition: ({ variable: { name } }) => (before.has(name.value) && !usedNames.has(name.value) ? null : false),
  });
  plain.set(document, stripped);
  return stripped;
}
