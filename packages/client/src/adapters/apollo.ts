import { ApolloLink } from '@apollo/client/link';
import { print } from '@apollo/client/utilities';
import { Observable } from 'rxjs';
import type { Client } from '../client.ts';
import { isLive } from './live.ts';
import { observe } from './observe.ts';

/**
 * A link for Apollo Client that runs all operations on the client. It takes the place of `HttpLink` and `GraphQLWsLink`. Queries with `@live` are live
 * queries: read them with `watchQuery` or `useQuery`, and `fetchPolicy: 'network-only'`. `height` and `minHeight` are read from the context of a query.
 */
export function steleLink(client: Client): ApolloLink {
  return new ApolloLink((operation) => {
    const { query, variables, operationType: type } = operation;
    const { height, minHeight } = operation.getContext();
    const request = { type, isLive: isLive(query), query: print(query), variables, height, minHeight };
    return new Observable<ApolloLink.Result>((observer) => observe(client, request, observer));
  });
}
