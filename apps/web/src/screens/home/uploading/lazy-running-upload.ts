// The view of a running upload. It is not part of the first load, because users choose files first.
import { lazyComponent } from '../../../ui/lazy/lazy-component.tsx';

export const LazyRunningUpload = lazyComponent(async () => (await import('./running-upload.tsx')).RunningUpload);
