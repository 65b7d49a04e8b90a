import type { en } from './en.ts';

/** The texts that a visitor without a token sees, in German. */
export const de: typeof en = {
  none: 'Dieser Server verlangt ein Token',
  noneWhy: 'Alles, was er zurückgibt, ist für Clients mit einem Zugangstoken. Ohne Token liest die Seite nichts.',
  expired: 'Ihr Token ist abgelaufen',
  expiredWhy: 'Die Seite liest nichts, bis Sie ein neues eingeben oder sich neu anmelden.',
  refusedToken: 'Der Server nimmt dieses Token nicht an',
  refusedWhy:
    'Es ist nicht abgelaufen. Es ist vielleicht für einen anderen Server, oder der Server hat neue Schlüssel. Ohne Token liest die Seite nichts.',
  malformed: 'Das ist kein Zugangstoken',
  malformedWhy:
    'Ein Token ist ein langer Text aus drei Teilen mit Punkten dazwischen und beginnt meist mit eyJ. Eine Client-ID oder ein Geheimnis ist keines.',
  orToken: 'Oder ein Token eingeben',
  token: 'Zugangstoken',
  continue: 'Weiter',
  staysInTab: 'Es bleibt in diesem Tab, bis Sie ihn schließen. Es wird nur an diesen Server gesendet.',
  howTo: 'So bekommen Sie ein Token',
  askOperator:
    'Bitten Sie den Betreiber dieses Servers um einen Client, das heißt um eine ID und ein Geheimnis mit dem Scope read.',
  request: 'Fordern Sie damit ein Token an:',
  enterAbove: 'Geben Sie den Wert von access_token oben ein.',
  ownProvider: 'Wenn Token von einem Identitätsanbieter Ihrer Organisation kommen, nehmen Sie eines seiner Zugangstoken.',
  at: (host) => `Bei ${host}. Sie kommen zu dieser Seite zurück.`,
  failed: 'Die Anmeldung ist gescheitert.',
};
