/** Tests and benchmarks send more requests than users do. */
export const NO_RATE_LIMITS = {
  READS_PER_HOUR: '0',
  PART_CALLS_PER_HOUR: '0',
  TOKENS_PER_HOUR: '0',
  UPLOADS_PER_HOUR: '0',
  DOWNLOADS_PER_HOUR: '0',
  DELETES_PER_HOUR: '0',
  CONTACTS_PER_HOUR: '0',
  REPORTS_PER_HOUR: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
  MAX_REQUESTS_PER_ADDRESS: '0',
};
