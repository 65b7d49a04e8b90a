import { ExportResultCode, type InstrumentationScope } from '@opentelemetry/core';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import { createJsonEncoder, createProtobufEncoder, type SpanEncoder } from './spanEncoder.ts';

/** How spans are sent, in OTLP over HTTP. */
export type Protocol = 'http/protobuf' | 'http/json';

/** Encodes spans and sends them to the collector. */
export interface SpanExport {
  readonly encoder: SpanEncoder;
  /** Sends a request of the encoder. Rejects if the collector has not accepted it, also when it was sent again. */
  send(request: Uint8Array): Promise<void>;
}

/**
 * Creates what sends spans as the variables `OTEL_EXPORTER_OTLP_…` say. OpenTelemetry's exporter reads them, and does the rest: it compresses, times out and
 * sends again.
 */
export function createSpanExport(protocol: Protocol, resource: Resource, scope: InstrumentationScope): SpanExport {
  const { encoder, contentType, serializer } =
    protocol === 'http/json'
      ? { encoder: createJsonEncoder(), contentType: 'application/json', serializer: JsonTraceSerializer }
      : {
          encoder: createProtobufEncoder(resource, scope),
          contentType: 'application/x-protobuf',
          serializer: ProtobufTraceSerializer,
        };
  const exporter = createOtlpHttpExportDelegate(
    // The exporters of OpenTelemetry are made of the same two functions.
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': contentType }),
    {
      serializeRequest: (request: Uint8Array) => request,
      deserializeResponse: (response) => serializer.deserializeResponse(response),
    },
  );
  return {
    encoder,
    send: (request) =>
      new Promise((resolve, reject) =>
        exporter.export(request, ({ code, error }) => (code === ExportResultCode.SUCCESS ? resolve() : reject(error))),
      ),
  };
}
