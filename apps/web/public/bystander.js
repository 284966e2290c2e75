// oxlint-disable unicorn/no-empty-file -- it must not contain any code
// A service worker that does nothing. It controls the folder of our other workers, so that their requests do not pass
// through the site's service worker, which would copy every uploaded part once more. Without a fetch handler the browser
// does not start it for a request.
