// The REST API of the coordinator that served this page.

const PATIENCE_MS = 6000;

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

async function ask(path, parameters) {
  const response = await fetch(`/api/v1/${path.map(encodeURIComponent).join("/")}${parameters}`, {
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => null);
  throw new Refusal(response.status, problem?.detail ?? `the coordinator answered ${response.status}`);
}
