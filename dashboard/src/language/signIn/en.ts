/** The texts that a visitor without a token sees, in English. */
export const en = {
  none: 'This server needs a token',
  noneWhy: 'Everything that it returns is for clients with an access token. The page reads nothing without one.',
  expired: 'Your token has expired',
  expiredWhy: 'The page reads nothing until you enter a new one or log in again.',
  refusedToken: 'The server does not accept this token',
  refusedWhy:
    'It has not expired. It may be for another server, or the server may have new keys. The page reads nothing without a token.',
  malformed: 'This is not an access token',
  malformedWhy:
    'A token is one long text of three parts with points between them, and usually begins with eyJ. A client id or a secret is none.',
  orToken: 'Or enter a token',
  token: 'Access token',
  continue: 'Continue',
  staysInTab: 'It stays in this tab until you close it. It is sent to this server alone.',
  howTo: 'How to get a token',
  askOperator: 'Ask the operator of this server for a client, that is an id and a secret with the scope read.',
  request: 'Request a token with it:',
  enterAbove: 'Enter the value of access_token above.',
  ownProvider: 'If tokens come from an identity provider of your organization, use one of its access tokens.',
  at: (host: string): string => `At ${host}. You come back to this page.`,
  failed: 'The login failed.',
};
