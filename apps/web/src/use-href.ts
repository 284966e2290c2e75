// The href of a place of ours, relative to the page's <base>: so it is the same below any base path, and at build.
import { useRouter } from 'wouter';

export function useHref(): (path: string) => string {
  const router = useRouter();
  return (path) => router.hrefs(router.base + path, router);
}
