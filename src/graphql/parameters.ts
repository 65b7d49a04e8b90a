import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badInput } from '../modules/errors.ts';
import { refusal } from './limitError.ts';

/** Parameters of a request by GET that are JSON. */
const jsonParameters = ['variables', 'extensions'] as const;

/** What refuses a request whose parameters cannot be read. Its body is in memory, so the fault is in what was sent. */
function unreadable(request: Request): GraphQLError {
  const { searchParams } = new URL(request.url);
  const name = jsonParameters.find((each) => !isJson(searchParams.get(each))) ?? 'query';
  return refusal(badInput(name, 'text', 'JSON'));
}

function isJson(text: string | null): boolean {
  if (text === null || text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Refuses parameters that no request of GraphQL has with BAD_USER_INPUT and status 400, where the engine would fail. It comes before all that reads them. */
export function parametersPlugin(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (requestParser === undefined) return;
      setRequestParser(async (parsed) => {
        try {
          return await requestParser(parsed);
        } catch (error) {
          throw error instanceof GraphQLError ? error : unreadable(request);
        }
      });
    },
    onParams({ params }) {
      const name: unknown = params.operationName;
      if (name !== undefined && name !== null && typeof name !== 'string')
        throw refusal(badInput('operationName', typeof name, 'a string'));
    },
  };
}
