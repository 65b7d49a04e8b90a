import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  Kind,
  parse,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { z } from 'zod';

/** One operation with the fragments that it uses. */
export interface NamedDocument {
  /** Its file, and its id or the name of its operation. */
  readonly name: string;
  readonly document: DocumentNode;
}

const manifestSchema = z.record(z.string(), z.string());

/** The names of the fragments that a definition uses, in other fragments too. */
function fragmentsOf(
  node: DocumentNode['definitions'][number],
  all: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (definition: DocumentNode['definitions'][number]): void => {
    visit(definition, {
      FragmentSpread({ name: { value } }) {
        const fragment = all.get(value);
        if (names.has(value) || fragment === undefined) return;
        names.add(value);
        add(fragment);
      },
    });
  };
  add(node);
  return names;
}

/** The operations of documents, which can use the fragments of one another. */
function operationsOf(files: readonly { readonly name: string; readonly document: DocumentNode }[]): readonly NamedDocument[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const { document } of files)
    for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  return files.flatMap(({ name, document }) =>
    document.definitions.flatMap((node): NamedDocument[] => {
      if (node.kind !== Kind.OPERATION_DEFINITION) return [];
      const used = [...fragmentsOf(node, fragments)].flatMap((each) => fragments.get(each) ?? []);
      const operation = node.name === undefined ? name : `${name}: ${node.name.value}`;
      return [{ name: operation, document: { kind: Kind.DOCUMENT, definitions: [node, ...used] } }];
    }),
  );
}

function parseNamed(name: string, text: string): { readonly name: string; readonly document: DocumentNode } {
  try {
    return { name, document: parse(text) };
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A file, or the documents in a folder and those in it. */
function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(graphql|gql)$/.test(name) && !name.includes('node_modules'))
    .toSorted()
    .map((name) => join(path, name));
}

/**
 * Reads operations: of a file or folder of documents (`.graphql`, `.gql`), or of a file of trusted documents (`.json`: an object of documents by id). Throws for a
 * file that is neither.
 */
export function readDocuments(path: string): readonly NamedDocument[] {
  const files = filesIn(path);
  const manifests = files.filter((file) => file.endsWith('.json'));
  const trusted = manifests.flatMap((file) => {
    const { data } = manifestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (data === undefined) throw new Error(`${file} is not a JSON object of documents by id`);
    return Object.entries(data).flatMap(([id, text]) => operationsOf([parseNamed(`${file} ${id}`, text)]));
  });
  const documents = files.filter((file) => !manifests.includes(file));
  return [...operationsOf(documents.map((file) => parseNamed(file, readFileSync(file, 'utf8')))), ...trusted];
}

/** What a document uses of a schema. */
export interface Uses {
  /** Coordinates: `Group.id`, `Query.group.id`, `VoteOption.VOTE_OPTION_YES`, types of variables and of conditions. */
  readonly coordinates: ReadonlySet<string>;
  /** The methods that it calls with `module`, with requests that have no variables. */
  readonly calls: readonly { readonly method: string; readonly request: unknown }[];
}

/** Finds what a valid document uses of a schema. */
export function usesOf({ document }: NamedDocument, schema: GraphQLSchema): Uses {
  const coordinates = new Set<string>();
  const calls: { method: string; request: unknown }[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name, arguments: args = [] }) {
        const parent = types.getParentType()?.name ?? '';
        coordinates.add(`${parent}.${name.value}`);
        for (const arg of args) coordinates.add(`${parent}.${name.value}.${arg.name.value}`);
        const method = args.find((arg) => arg.name.value === 'method')?.value;
        const request = args.find((arg) => arg.name.value === 'request')?.value;
        if (name.value !== 'module' || method?.kind !== Kind.STRING) return;
        let hasVariables = false;
        if (request !== undefined)
          visit(request, {
            Variable() {
              hasVariables = true;
            },
          });
        calls.push({ method: method.value, request: request && !hasVariables ? valueFromASTUntyped(request) : undefined });
      },
      ObjectField({ name }) {
        const parent = types.getParentInputType();
        if (parent) coordinates.add(`${getNamedType(parent).name}.${name.value}`);
      },
      EnumValue({ value }) {
        const type = types.getInputType();
        const named = type && getNamedType(type);
        if (isEnumType(named)) coordinates.add(`${named.name}.${value}`);
      },
      NamedType: ({ name }) => void coordinates.add(name.value),
    }),
  );
  return { coordinates, calls };
}
