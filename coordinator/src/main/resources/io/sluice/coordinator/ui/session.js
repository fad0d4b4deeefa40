// The user of the web pages. The token is stored for this tab only and sent as a header, never as a cookie, because a
// page of another origin could make the browser send a cookie.

const KEY = "sluice-token";
const ANONYMOUS = { user: null, role: null, mayRead: true, mayChange: false, tokens: false };

let storedToken = read();
let currentCaller = ANONYMOUS;

/** The token, or null. */
export function token() {
  return storedToken;
}

export function setToken(next) {
  storedToken = next;
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // Without session storage, the user must sign in again after a reload.
  }
}

/** The caller in the coordinator's latest answer. */
export function caller() {
  return currentCaller;
}

export function setCaller(next) {
  currentCaller = next ?? ANONYMOUS;
}

function read() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
