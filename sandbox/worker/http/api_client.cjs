// Requests of tests for Jest to the application under test, with Node's `fetch`.
'use strict';

const { Application } = require('./application_process.cjs');

const START_MS = 60_000;
const ANSWER_MS = 30_000;

/** What an application answered; the whole body has been read. */
class Answer {
  constructor(response, body) {
    this.response = response;
    this.body = body;
  }

  status() {
    return this.response.status;
  }

  /** Values by the names of headers in small letters. */
  headers() {
    const found = Object.fromEntries(this.response.headers);
    const cookies = this.response.headers.getSetCookie();
    return cookies.length > 0 ? { ...found, 'set-cookie': cookies.join('\n') } : found;
  }

  async text() {
    return this.body;
  }

  async json() {
    return JSON.parse(this.body);
  }
}

/** Sends requests; the options are those of requests in Playwright. */
class Client {
  base = '';

  /**
   * @param {string} path
   * @param {object} options `method`, `headers`, `params` by name, and one of `data` (an object is sent as JSON, a text
   *   or buffer as it is), `form` and `multipart` (fields by name; a file is { name, mimeType, buffer }). With
   *   `maxRedirects: 0` a redirect is an answer like any other.
   */
  async fetch(path, { method = 'GET', headers = {}, params, data, form, multipart, maxRedirects } = {}) {
    const query = params ? `?${new URLSearchParams(params)}` : '';
    const sent = new Headers(headers);
    let body;
    if (form) body = new URLSearchParams(form);
    else if (multipart) body = multipartOf(multipart);
    else if (typeof data === 'string' || Buffer.isBuffer(data)) body = data;
    else if (data !== undefined) {
      body = JSON.stringify(data);
      if (!sent.has('Content-Type')) sent.set('Content-Type', 'application/json');
    }
    const response = await fetch(`${this.base}${path}${query}`, {
      method,
      headers: sent,
      body,
      redirect: maxRedirects === 0 ? 'manual' : 'follow',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return new Answer(response, await response.text());
  }

  get(path, options) {
    return this.fetch(path, { ...options, method: 'GET' });
  }

  post(path, options) {
    return this.fetch(path, { ...options, method: 'POST' });
  }

  put(path, options) {
    return this.fetch(path, { ...options, method: 'PUT' });
  }

  patch(path, options) {
    return this.fetch(path, { ...options, method: 'PATCH' });
  }

  delete(path, options) {
    return this.fetch(path, { ...options, method: 'DELETE' });
  }

  head(path, options) {
    return this.fetch(path, { ...options, method: 'HEAD' });
  }
}

function multipartOf(fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value?.buffer) form.append(name, new Blob([value.buffer], { type: value.mimeType }), value.name);
    else form.append(name, String(value));
  }
  return form;
}

/** Starts the application for the tests of a file, each of which finds it as it is after its start; sends requests. */
function withApplication(launch, folder) {
  const application = new Application(launch);
  const client = new Client();
  const missing = application.missing();
  if (missing.length > 0) {
    // Jest skips no file with a reason: its groups are skipped, and it prints nothing of a file with skipped tests only.
    const reason = `skipped; set in the environment: ${missing.join(', ')}`;
    globalThis.describe = describe.skip;
    test.skip(reason, () => undefined);
    console.warn(reason);
    return client;
  }
  beforeEach(async () => {
    client.base = await application.fresh(folder);
  }, START_MS);
  afterAll(() => application.stop(), START_MS);
  return client;
}

module.exports = { withApplication };
