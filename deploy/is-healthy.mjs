// The container's health check: exits with 0 if the server in the same container returns 200 at /healthz, or at /readyz if
// that is the argument.
import http from 'node:http';
import https from 'node:https';

const [, , check = 'healthz'] = process.argv;
const { PORT, BASE_PATH = '', TLS_CERT_FILE = '' } = process.env;
// The certificate is valid for the public host name, not for this address.
const options = { host: '127.0.0.1', port: PORT, path: `${BASE_PATH}/${check}`, rejectUnauthorized: false };
(TLS_CERT_FILE === '' ? http : https)
  .get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('error', () => process.exit(1));
