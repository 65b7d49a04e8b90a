import { Client, StreamableHTTPClientTransport, type StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

/** What a tool returns. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: ToolOutput;
}

/** The structured content of a result. */
export interface ToolOutput {
  readonly height: string | null;
  readonly proof: string;
  readonly data?: Record<string, unknown> | null;
  readonly part?: { readonly from: number; readonly content: string | readonly unknown[] };
  readonly more?: readonly {
    readonly path: readonly unknown[];
    readonly sent: number;
    readonly total: number;
    readonly cursor: string;
  }[];
  readonly note?: string;
  readonly errors?: readonly { readonly code: string; readonly path?: readonly unknown[] }[];
}

/** Calls a tool. */
export type ToolCall = (name: string, args: Record<string, unknown>) => Promise<ToolResult>;

/** The official client, connected to `/mcp` at a URL. It logs in with the provider. */
export async function officialAgent(
  url: string,
  authProvider: NonNullable<StreamableHTTPClientTransportOptions['authProvider']>,
): Promise<{ client: Client; call: ToolCall }> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  return { client, call: async (name, args) => (await client.callTool({ name, arguments: args })) as unknown as ToolResult };
}

let ids = 0;

/** Sends a message by a client of its own over `fetch`, in the version of the protocol before the current one. */
export async function sendPlain(
  url: string,
  token: string,
  method: string,
  params: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params }),
  });
  const text = await response.text();
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  return { status: response.status, body: JSON.parse(json) };
}

/** The structured content of a result, which its text repeats. */
export function outputOf({ structuredContent, content }: ToolResult): ToolOutput {
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  return structuredContent!;
}
