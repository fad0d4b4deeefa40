// The REST API of the coordinator that served this page.

import { token } from "./session.js";

const PATIENCE_MS = 6000;
// A server that is told something has ten seconds to answer the coordinator.
const ACT_PATIENCE_MS = 15000;

/** The coordinator answered, and says no. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** A resource, such as `get("servers", name)`. Throws a Refusal, or another error if nobody answers. */
export async function get(...path) {
  return ask(path, "");
}

/** As `get`, with parameters first. */
export async function query(parameters, ...path) {
  return ask(path, `?${new URLSearchParams(parameters)}`);
}

/** Changes something: `act("POST", ["servers", name, "exclusion"])`. Throws as `get` does. */
export async function act(method, path, body) {
  return ask(path, "", { method, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) }, ACT_PATIENCE_MS);
}

async function ask(path, parameters, request = {}, patienceMs = PATIENCE_MS) {
  const headers = { Accept: "application/json", ...request.headers };
  if (token() !== null) headers.Authorization = `Bearer ${token()}`;
  const response = await fetch(`/api/v1/${path.map(encodeURIComponent).join("/")}${parameters}`, {
    ...request,
    headers,
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => null);
  throw new Refusal(response.status, problem?.detail ?? `the coordinator answered ${response.status}`);
}
