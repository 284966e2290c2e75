// The analytics services and events that are allowed. Nothing else is ever sent.

export const ANALYTICS_SERVICES = ['ga4', 'plausible', 'umami'] as const;
export type AnalyticsService = (typeof ANALYTICS_SERVICES)[number];

export interface AnalyticsSettings {
  service: AnalyticsService;
  /** The service's origin: besides our own, the only one that the page may connect to. */
  url: string;
  /** The measurement id, the site's domain or the website's id, as the service calls it. */
  id: string;
}

export const ANALYTICS_EVENTS = [
  'file_upload_completed',
  'file_download_completed',
  'share_link_created',
  'secure_info_action',
  'error_occurred',
  'encryption_toggled',
] as const;
export type AnalyticsEventName = (typeof ANALYTICS_EVENTS)[number];
