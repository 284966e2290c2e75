// The contract of a metadata store. Every database must pass it.
import { describe } from 'vitest';
import { describeDoomRecords } from './doom-records.contract.ts';
import { describeFileRecords } from './file-records.contract.ts';
import { describeGrantRecords } from './grant-records.contract.ts';
import { metadataFixture, type OpenStore } from './metadata-fixture.ts';
import { describeOperatorRecords } from './operator-records.contract.ts';
import { describeRequestRecords } from './request-records.contract.ts';
import { describeResumeSecretRecords } from './resume-secret-records.contract.ts';
import { describeUploadRecords } from './upload-records.contract.ts';

export function describeMetadataStore(name: string, open: OpenStore): void {
  describe(`the metadata store on ${name}`, () => {
    const fixture = metadataFixture(open);
    describeUploadRecords(fixture);
    describeFileRecords(fixture);
    describeGrantRecords(fixture);
    describeDoomRecords(fixture);
    describeRequestRecords(fixture);
    describeResumeSecretRecords(fixture);
    describeOperatorRecords(fixture);
  });
}
