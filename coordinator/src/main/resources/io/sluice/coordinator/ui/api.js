// The REST API of the coordinator that served this page.

import { token } from "./session.js";

const TIMEOUT_MS = 6000;
// Longer than the ten seconds for which the coordinator waits for a reply of a server.
const MUTATION_TIMEOUT_MS = 15000;

/** An error answer of the coordinator. */
export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** Reads a resource, such as `get("servers", name)`. Throws an ApiError, or another error if there is no answer. */
export async function get(...path) {
  return request(path, "");
}

/** Reads a resource with query parameters; see `get`. */
export async function query(parameters, ...path) {
  // URLSearchParams would encode a space as a plus, which the coordinator reads as a plus.
  return request(path, `?${Object.entries(parameters).map(pair => pair.map(encodeURIComponent).join("=")).join("&")}`);
}

/** Sends a mutation, such as `mutate("POST", ["servers", name, "exclusion"])`. Throws the errors of `get`. */
export async function mutate(method, path, body) {
  return request(path, "", { method, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) }, MUTATION_TIMEOUT_MS);
}

async function request(path, parameters, options = {}, timeoutMs = TIMEOUT_MS) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token() !== null) headers.Authorization = `Bearer ${token()}`;
  const response = await fetch(`/api/v1/${path.map(encodeURIComponent).join("/")}${parameters}`, {
    ...options,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => null);
  throw new ApiError(response.status, problem?.detail ?? `the coordinator returned HTTP status ${response.status}`);
}
