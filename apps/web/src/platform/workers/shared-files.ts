// The third task of the service worker: files that another app shares arrive here as a form. They stay in memory until the page that
// opens takes them, and are never sent anywhere.
import { SHARE_PATH, SHARED_FIELD, SHARED_FRAGMENT } from '@furoshiki/site';

/** The page asks as soon as its code runs. */
const KEPT_MS = 60_000;

interface SharedFiles {
  files: File[];
  forget: () => void;
}

const kept = new Map<string, SharedFiles>();

export function isShare({ method, url }: Request, scope: string): boolean {
  return method === 'POST' && url === scope + SHARE_PATH.slice(1);
}

/** Responds with home, which then asks for the files. The worker has to live until `waitUntil` is done. */
export async function receiveShared(
  request: Request,
  scope: string,
  waitUntil: (taken: Promise<void>) => void,
): Promise<Response> {
  const form = await request.formData();
  const files = form.getAll(SHARED_FIELD).filter((entry) => entry instanceof File);
  const id = crypto.randomUUID();
  waitUntil(
    new Promise<void>((resolve) => {
      const timer = setTimeout(forget, KEPT_MS);
      function forget() {
        clearTimeout(timer);
        kept.delete(id);
        resolve();
      }
      kept.set(id, { files, forget });
    }),
  );
  return Response.redirect(scope + SHARED_FRAGMENT + id, 303);
}

/** Empty if they were taken before, or if the browser has ended this worker in between. */
export function takeShared(id: string): File[] {
  const shared = kept.get(id);
  shared?.forget();
  return shared?.files ?? [];
}
