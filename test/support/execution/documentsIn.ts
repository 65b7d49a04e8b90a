import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';

/** The string and template literals of a program. Comments with apostrophes only cost a literal on the same line. */
const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** What stands for a substitution in a template: an argument, a selection, or nothing. */
const substitutes = ['', '1', '"1"', '__typename', '(first: 1)'];

/** The valid documents among the literals of a program. */
export function documentsIn(schema: GraphQLSchema, program: string): readonly DocumentNode[] {
  return [...program.matchAll(literals)].flatMap(([literal]) => {
    const text = literal.slice(1, -1).replaceAll(/\\(['"`])/g, '$1');
    if (!text.includes('{')) return [];
    for (const substitute of substitutes) {
      const document = documentOf(schema, text.replaceAll(/\$\{[^}]*\}/g, substitute));
      if (document !== undefined) return document;
    }
    return [];
  });
}

function documentOf(schema: GraphQLSchema, text: string): DocumentNode | undefined {
  try {
    const document = parse(text);
    return validate(schema, document).length === 0 ? document : undefined;
  } catch {
    return undefined;
  }
}
