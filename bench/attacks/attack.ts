/** An attack of a caller with a good token, as a load that a harness runs beside an honest caller. */
export interface Attack {
  readonly name: string;
  readonly description: string;
  /** Runs at full speed over so many connections until the signal ends it; resolves to the number of requests that were sent. */
  run(
    target: { readonly url: string; readonly token: string },
    options: { readonly connections: number; readonly signal: AbortSignal },
  ): Promise<{ readonly requests: number }>;
}
