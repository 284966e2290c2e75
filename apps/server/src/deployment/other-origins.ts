// The origins that the page may connect to besides the address that it was opened at.
import { analyticsSettings } from '../config/analytics-settings.ts';
import type { Config } from '../config/config.ts';

/** `storageOrigin` is that of the object store, if browsers connect to it. */
export function otherOriginsOf(config: Config, storageOrigin: string | undefined): string[] {
  const origins = [config.PUBLIC_ORIGIN, storageOrigin, analyticsSettings(config)?.url];
  return origins.filter((origin) => origin !== undefined);
}
