import { type GraphQLSchema, validate } from 'graphql';
import { schema as base, schemaText } from '../../src/graphql/schema.ts';
import { encodeRequest, methodNamed } from '../../src/modules/any/module.ts';
import { addChainTypes } from '../../src/modules/typed/schema.ts';
import type { ChainTypes } from '../chainSchema.ts';
import { breakingChanges } from '../schemaChanges.ts';
import { type NamedDocument, type Uses, usesOf } from './documents.ts';
import { type HandEffect, handEffects } from './handTyped.ts';
import { readOwnFiles, wireChanges } from './wireChanges.ts';

/** A coordinate of the schema, and why clients that use it break. */
interface CoordinateBreak {
  readonly coordinate: string;
  readonly reasons: readonly string[];
}

/** What the descriptors of the next binary break. */
export interface Breaks {
  readonly coordinates: readonly CoordinateBreak[];
  /** The documents that break. `reasons` are the coordinates that they use, and what validation says of others. */
  readonly documents: readonly { readonly name: string; readonly reasons: readonly string[] }[];
  /** Changes whose effect on the types by hand is not known, because the development chain has no value in which it would show. */
  readonly untested: readonly string[];
  /** Documents that are not valid before the upgrade either, with the first error. They are compared in what they use. */
  readonly invalid: readonly string[];
}

const reasonOf = ({ change }: HandEffect): string => `reads ${change.element}, which ${change.what}`;

/** Adds a reason to a key. */
function add(reasons: Map<string, Set<string>>, key: string, reason: string): void {
  reasons.set(key, (reasons.get(key) ?? new Set()).add(reason));
}

/** Why a call of `module` breaks; undefined if it works as before. */
function brokenCall({ method, request }: Uses['calls'][number], before: ChainTypes, after: ChainTypes): string | undefined {
  const errorOf = ({ pool }: ChainTypes): string | undefined => {
    try {
      const { input } = methodNamed(pool, 'method', method);
      if (request !== undefined) encodeRequest(pool.registry, input, 'request', request);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const error = errorOf(before) === undefined ? errorOf(after) : undefined;
  return error && `Query.module of ${method}: ${error}`;
}

/** Compares a chain with its next binary: the schema, the types by hand, and these documents. */
export async function findBreaks(before: ChainTypes, after: ChainTypes, documents: readonly NamedDocument[]): Promise<Breaks> {
  const schemaOf = ({ pool, services }: ChainTypes): GraphQLSchema => addChainTypes(base, pool, services);
  const [schemaBefore, schemaAfter] = [schemaOf(before), schemaOf(after)];
  const reasons = new Map<string, Set<string>>();
  for (const { path = '', message } of await breakingChanges(schemaText(schemaBefore), schemaText(schemaAfter)))
    add(reasons, path, message);

  const own = await readOwnFiles();
  const effects = await handEffects(wireChanges(own, before.pool, after.pool), own);
  for (const effect of effects) for (const coordinate of effect.coordinates) add(reasons, coordinate, reasonOf(effect));

  const invalid: string[] = [];
  const broken = documents.flatMap((named) => {
    const errorsBefore = validate(schemaBefore, named.document).map(({ message }) => message);
    if (errorsBefore[0] !== undefined) invalid.push(`${named.name}: ${errorsBefore[0]}`);
    const uses = usesOf(named, schemaBefore);
    const used = [...reasons.keys()].filter((coordinate) => uses.coordinates.has(coordinate));
    const isNamed = (message: string): boolean =>
      used.some((coordinate) => message.includes(`"${coordinate.slice(coordinate.lastIndexOf('.') + 1)}"`));
    const errors = validate(schemaAfter, named.document)
      .map(({ message }) => message)
      .filter((message) => !errorsBefore.includes(message) && !isNamed(message));
    const calls = uses.calls.flatMap((call) => brokenCall(call, before, after) ?? []);
    const ofDocument = [...used, ...errors, ...calls];
    return ofDocument.length === 0 ? [] : [{ name: named.name, reasons: ofDocument }];
  });
  return {
    coordinates: [...reasons]
      .map(([coordinate, texts]) => ({ coordinate, reasons: [...texts] }))
      .toSorted((one, other) => (one.coordinate < other.coordinate ? -1 : 1)),
    documents: broken,
    untested: effects.flatMap((effect) => (effect.isTested ? [] : [`${effect.change.element} ${effect.change.what}`])),
    invalid,
  };
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}\n`;

/** Prints what breaks, for people. */
export function printBreaks({ coordinates, documents, untested, invalid }: Breaks, compared: number): string {
  return [
    section(
      'By coordinate:',
      coordinates.flatMap(({ coordinate, reasons }) => reasons.map((reason) => `${coordinate}: ${reason}`)),
    ),
    section(
      'By document:',
      documents.map(({ name, reasons }) => `${name}: ${reasons.join(', ')}`),
    ),
    section('Not known, because the development chain has no such value:', untested),
    section('Not valid before the upgrade:', invalid),
    `upgrade: ${coordinates.length} coordinates and ${documents.length} of ${compared} documents break\n`,
  ].join('');
}
