import { z } from 'zod';
import type { AuthConfig, DashboardLogin } from '../authTypes.ts';

/** Settings of the dashboard: how its pages get a token on a server that is not for development. */
export const dashboardSettings = {
  dashboardClientId: {
    flag: 'dashboard-client-id',
    variable: 'STELE_DASHBOARD_CLIENT_ID',
    group: 'Authentication',
    summary:
      'The public client of the dashboard. With --auth-issuer, visitors log in there (Authorization Code with PKCE). With --clients-file, its pages get tokens of this client.',
    expects: 'a client id of printable ASCII characters',
    schema: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    absent: 'none; visitors enter a token',
  },
  dashboardScope: {
    flag: 'dashboard-scope',
    variable: 'STELE_DASHBOARD_SCOPE',
    group: 'Authentication',
    summary: 'The scopes that a login of the dashboard asks for. Add `broadcast` if visitors may vote.',
    expects: 'scopes, separated by spaces',
    schema: z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/),
    absent: 'openid read',
  },
  dashboardLoginParameters: {
    flag: 'dashboard-login-parameters',
    variable: 'STELE_DASHBOARD_LOGIN_PARAMETERS',
    group: 'Authentication',
    summary:
      'Further parameters of a login of the dashboard, such as the `resource` or `audience` by which some issuers name the API.',
    expects: 'parameters in the form of a query string, such as audience=https://api.example',
    schema: z
      .string()
      .regex(/^[^=&?#]+=[^&?#]*(&[^=&?#]+=[^&?#]*)*$/)
      .transform((text) => Object.fromEntries(new URLSearchParams(text))),
    absent: 'none',
  },
} as const;

/** The parsed values of {@link dashboardSettings}. */
export interface DashboardGiven {
  readonly dashboardClientId: string | undefined;
  readonly dashboardScope: string | undefined;
  readonly dashboardLoginParameters: Readonly<Record<string, string>> | undefined;
}

/** How the pages of the dashboard get a token. undefined if visitors enter one. Conflicts between settings are added to `errors`. */
export function dashboardLoginOf(given: DashboardGiven, auth: AuthConfig, errors: string[]): DashboardLogin | undefined {
  const { dashboardClientId: clientId, dashboardScope: scope, dashboardLoginParameters: parameters } = given;
  const isOutside = auth.kind === 'outside';
  if (!(isOutside && clientId !== undefined) && (scope !== undefined || parameters !== undefined))
    errors.push('--dashboard-scope and --dashboard-login-parameters need --auth-issuer and --dashboard-client-id');
  if (clientId === undefined) return undefined;
  if (isOutside)
    return { kind: 'openid', issuer: auth.issuer, clientId, scope: scope ?? 'openid read', parameters: parameters ?? {} };
  if (auth.clientsFile === undefined)
    errors.push('--dashboard-client-id (STELE_DASHBOARD_CLIENT_ID) needs --auth-issuer or --clients-file');
  return { kind: 'client', clientId };
}
