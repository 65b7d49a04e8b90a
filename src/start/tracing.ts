import { noTracer } from '../chain/tracing/tracer.ts';
import { ConfigError } from '../config/settings/config.ts';
import { version } from '../config/version.ts';
import type { ExportingTracer } from '../server/observability/openTelemetry.ts';

const protocols = ['http/protobuf', 'http/json'] as const;

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the variables of OpenTelemetry turn traces on: they name an endpoint or the exporter `otlp`, and nothing turns them off. */
function isOn(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false;
  return env.OTEL_TRACES_EXPORTER === 'otlp' || endpoints.some((name) => env[name]);
}

/** What is wrong with the variables: one line for each. */
function errorsIn(env: Environment): readonly string[] {
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share } = env;
  const errors: string[] = [];
  if (exporter && exporter !== 'otlp') errors.push('OTEL_TRACES_EXPORTER must be otlp or none');
  if (protocolIn(env) === undefined) errors.push(`OTEL_EXPORTER_OTLP_PROTOCOL must be ${protocols.join(' or ')}`);
  for (const name of endpoints) {
    if (env[name] && !/^https?:\/\/./.test(env[name])) errors.push(`${name} must be an http or https URL`);
  }
  if (samplerIn(env) === undefined) errors.push(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}`);
  if (sampler?.endsWith('traceidratio') && !(share && Number(share) >= 0 && Number(share) <= 1))
    errors.push('OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1');
  return errors;
}

function protocolIn(env: Environment): (typeof protocols)[number] | undefined {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || protocols[0];
  return protocols.find((protocol) => protocol === name);
}

function samplerIn({ OTEL_TRACES_SAMPLER: givenSampler }: Environment): (typeof samplers)[number] | undefined {
  return samplers.find((sampler) => sampler === (givenSampler || 'parentbased_always_on'));
}

/**
 * Creates the tracer that the standard variables of OpenTelemetry describe. Without them it records nothing, and no code of OpenTelemetry is
 * loaded. `onFailure` is called when spans could not be sent. Throws a ConfigError.
 */
export async function createTracing(env: Environment, onFailure: (error: unknown) => void): Promise<ExportingTracer> {
  if (!isOn(env)) return { ...noTracer, close: () => Promise.resolve() };
  const errors = errorsIn(env);
  const [protocol, sampler] = [protocolIn(env), samplerIn(env)];
  if (errors.length > 0 || protocol === undefined || sampler === undefined) throw new ConfigError(errors);
  const { createOpenTelemetry } = await import('../server/observability/openTelemetry.ts');
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
  return createOpenTelemetry({ protocol, sampler, share, version, onFailure });
}
