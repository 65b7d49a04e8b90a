/** A format of subscriptions over HTTP. */
export type StreamFormat = 'events' | 'multipart';

/** The boundary between the parts of a multipart response. */
export const boundary = 'graphql';

/** The content type of each format. */
export const streamTypes = {
  events: 'text/event-stream',
  multipart: `multipart/mixed;boundary="${boundary}";subscriptionSpec=1.0`,
} as const satisfies Record<StreamFormat, string>;

/** Whether this part of an `Accept` header names Apollo's multipart protocol for subscriptions. */
function isMultipart(part: string): boolean {
  const [type, ...parameters] = part.toLowerCase().replace(/[\s"]/g, '').split(';');
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
}

/**
 * The format that an `Accept` header requests: server-sent events, otherwise Apollo's multipart protocol. undefined if it
 * accepts no stream.
 */
export function streamFormatOf(accept: string | null | undefined): StreamFormat | undefined {
  if (accept === null || accept === undefined) return undefined;
  if (accept.includes(streamTypes.events)) return 'events';
  return accept.split(',').some(isMultipart) ? 'multipart' : undefined;
}
