// The analytics service that the configuration selects.
import type { AnalyticsSettings } from '@furoshiki/api';
import { type Config, StartError } from './config.ts';

/** Returns undefined if there is no analytics service. */
export function analyticsSettings(config: Config): AnalyticsSettings | undefined {
  const { ANALYTICS_SERVICE: service, ANALYTICS_URL: url, ANALYTICS_ID: id } = config;
  if (service === undefined && url === undefined && id === undefined) return undefined;
  if (service === undefined || url === undefined || id === undefined)
    throw new StartError('ANALYTICS_SERVICE, ANALYTICS_URL and ANALYTICS_ID are set together or not at all');
  return { service, url, id };
}
