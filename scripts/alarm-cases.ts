// What Prometheus sees of a server without problems, and what differs when an alarm of deploy/prometheus-rules.yml is due.
export interface Case {
  /** What differs from a healthy server, in the notation of promtool: start, change per minute, number of minutes. */
  series: Record<string, string>;
  /** Labels of the alarm besides the job and those of its rule. */
  labels?: Record<string, string>;
  at?: string;
}

const ONE = '{job="furoshiki", instance="a"}';
const labelled = (name: string, labels: string) => `${name}{job="furoshiki", instance="a", ${labels}}`;
const requests = (status: string) => labelled('furoshiki_http_requests_total', `status="${status}"`);
const AT_A = { instance: 'a' };
const GB = 1e9;

/** Three hours of a server without problems. The time of promtool begins at 0. */
export const HEALTHY: Record<string, string> = {
  [`up${ONE}`]: '1+0x200',
  [labelled('furoshiki_dependency_ready', 'dependency="database"')]: '1+0x200',
  [labelled('furoshiki_dependency_ready', 'dependency="storage"')]: '1+0x200',
  [requests('2xx')]: '0+100x200',
  [requests('500')]: '3+0x200',
  [requests('503')]: '3+0x200',
  [requests('507')]: '3+0x200',
  [`furoshiki_storage_free_bytes${ONE}`]: `${50 * GB}+0x200`,
  [`furoshiki_storage_reserve_bytes${ONE}`]: `${GB}+0x200`,
  [`furoshiki_storage_limit_bytes${ONE}`]: `${40 * GB}+0x200`,
  [`furoshiki_stored_bytes${ONE}`]: `${10 * GB}+0x200`,
  [labelled('furoshiki_sweeps_total', 'outcome="failed"')]: '2+0x200',
  [`furoshiki_last_sweep_timestamp_seconds${ONE}`]: '0+60x200',
  // Files are deleted and swept all the time.
  [`furoshiki_doomed_files${ONE}`]: Array.from({ length: 200 }, (_, minute) => minute % 7).join(' '),
  [`furoshiki_database_waiting_calls${ONE}`]: Array.from({ length: 200 }, (_, minute) => minute % 3).join(' '),
  [`furoshiki_outbox_messages${ONE}`]: '0+0x200',
  [`process_start_time_seconds${ONE}`]: '0+0x200',
  [`nodejs_eventloop_lag_p90_seconds${ONE}`]: '0.02+0x200',
  [labelled('furoshiki_build_info', 'version="1.0.0"')]: '1+0x200',
};

export const CASES: Record<string, Case> = {
  FuroshikiDown: { series: { [`up${ONE}`]: '1+0x170 0+0x30' }, labels: AT_A },
  FuroshikiNotReady: {
    series: { [labelled('furoshiki_dependency_ready', 'dependency="storage"')]: '1+0x170 0+0x30' },
    labels: { ...AT_A, dependency: 'storage' },
  },
  FuroshikiInternalErrors: { series: { [requests('500')]: '3+0x178 4+0x20' }, labels: AT_A },
  FuroshikiUnavailable: { series: { [requests('503')]: '0+2x200' }, labels: AT_A },
  FuroshikiFull: { series: { [requests('507')]: '3+0x178 4+0x20' }, labels: AT_A },
  FuroshikiDiskAlmostFull: { series: { [`furoshiki_storage_free_bytes${ONE}`]: `${2 * GB}+0x200` }, labels: AT_A },
  FuroshikiQuotaAlmostFull: { series: { [`furoshiki_stored_bytes${ONE}`]: `${37 * GB}+0x200` }, labels: AT_A },
  FuroshikiSweepFails: {
    series: { [labelled('furoshiki_sweeps_total', 'outcome="failed"')]: '0+1x200' },
    labels: { ...AT_A, outcome: 'failed' },
  },
  FuroshikiSweepLate: { series: { [`furoshiki_last_sweep_timestamp_seconds${ONE}`]: '_x200' }, labels: AT_A },
  FuroshikiDoomedFilesGrow: { series: { [`furoshiki_doomed_files${ONE}`]: '1+1x200' }, labels: AT_A },
  FuroshikiDatabaseConnectionsExhausted: {
    series: { [`furoshiki_database_waiting_calls${ONE}`]: '0+0x174 1+0x20' },
    labels: AT_A,
  },
  FuroshikiMessagesWait: { series: { [`furoshiki_outbox_messages${ONE}`]: '1+0x200' }, labels: AT_A },
  FuroshikiRestarts: { series: { [`process_start_time_seconds${ONE}`]: '0+0x170 9000+60x20' }, labels: AT_A },
  FuroshikiBusy: { series: { [`nodejs_eventloop_lag_p90_seconds${ONE}`]: '0.02+0x160 0.6+0x40' }, labels: AT_A },
  FuroshikiVersionsDiffer: {
    series: { 'furoshiki_build_info{job="furoshiki", instance="b", version="1.1.0"}': '1+0x200' },
  },
};
