import { ClientCredentialsProvider, discoverAuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { createAuth } from '../../../src/start/authSetup.ts';
import { officialAgent } from '../../support/agents.ts';
import { startChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

it('the official client gets a token of the embedded issuer by its client credentials, once it is given the metadata', async () => {
  const chain = await startChain();
  let stack: Stack | undefined;
  const { auth, issuer } = await createAuth(
    { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 3600 },
    { address: () => stack?.server.url ?? '', report: console.error },
  );
  stack = await startStack([chain.node.url], { server: { auth, issuer } });
  const { url } = stack.server;
  // Its own discovery wants an endpoint of a grant that the issuer does not have. When this stops failing, docs/agents.md can be shorter.
  await expect(discoverAuthorizationServerMetadata(url)).rejects.toThrow('authorization_endpoint');
  const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
  const provider = new ClientCredentialsProvider({ clientId: 'devnet', clientSecret: 'devnet', expectedIssuer: url });
  const login = Object.assign(provider, {
    discoveryState: () => ({ authorizationServerUrl: url, authorizationServerMetadata: metadata }),
  });
  const { client, call } = await officialAgent(`${url}/mcp`, login);
  expect(await call('search', { text: '1' })).not.toHaveProperty('isError', true);
  // It asks for all scopes that the metadata of `/mcp` names.
  expect(provider.tokens()).toMatchObject({ token_type: 'Bearer', scope: expect.stringContaining('read') });
  await client.close();
  await stack.close();
  await chain.devnet.close();
});
