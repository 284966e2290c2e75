// Stands in for the code of transfers.ts while it is loading: every call waits for it, so that no click is lost.
import { asFailure, Failure } from '@furoshiki/api';
import type { Api, ResumeRecord, RunUpload } from '@furoshiki/transfer';
import type { ResumeRecords, Services } from '../services.ts';
import type { Transfers } from './transfers.ts';

interface LazyTransfers extends Pick<Services, 'api' | 'resumeRecords' | 'abandonUpload'> {
  runUpload: RunUpload<File>;
}

/** `load` is called for each call, so that a later call retries after a failure. */
export function createLazyTransfers(load: () => Promise<Transfers>): LazyTransfers {
  const transfers = () =>
    load().catch((cause: unknown) => {
      throw new Failure('NETWORK', {}, { cause });
    });

  const api: Api = {
    call: async (name, input, signal) => (await transfers()).api.call(name, input, signal),
    callOnUnload: (name, input) =>
      void transfers().then(
        (loaded) => loaded.api.callOnUnload(name, input),
        () => undefined,
      ),
  };

  const resumeRecords: ResumeRecords = {
    begin: (options, files) => lazyRecord(transfers().then((loaded) => loaded.resumeRecords.begin(options, files))),
    findInterrupted: async (signal) => (await transfers()).resumeRecords.findInterrupted(signal),
  };

  return {
    api,
    resumeRecords,
    abandonUpload: async (checkpoint) => (await transfers()).abandonUpload(checkpoint),
    async runUpload(request, onServer, context) {
      try {
        await (await transfers()).runUpload(request, onServer, context);
      } catch (thrown) {
        context.dispatch({ type: 'fail', failure: asFailure(thrown) });
      }
    },
  };
}

/** Without its code the upload fails, so it needs no record. */
function lazyRecord(loading: Promise<ResumeRecord>): ResumeRecord {
  let record: ResumeRecord | undefined;
  const loaded = loading.then(
    (begun) => void (record = begun),
    () => undefined,
  );
  return {
    isStored: () => record?.isStored() ?? false,
    write: (checkpoint) => void loaded.then(() => record?.write(checkpoint)),
    remove: () => void loaded.then(() => record?.remove()),
  };
}
