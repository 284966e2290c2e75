// The view of a running upload, loaded apart from the first load: nobody uploads before choosing files.
import { lazyComponent } from '../../../ui/lazy/lazy-component.tsx';

export const LazyRunningUpload = lazyComponent(async () => (await import('./running-upload.tsx')).RunningUpload);
