// Who looks at the pages. A token is kept for this tab only, and sent as a header: never as a cookie, which a page from
// elsewhere could make the browser send.

const KEY = "sluice-token";
const NOBODY = { user: null, role: null, mayRead: true, mayChange: false, tokens: false };

let kept = read();
let who = NOBODY;

/** The token, or null. */
export function token() {
  return kept;
}

export function keep(next) {
  kept = next;
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing asks again in the next page.
  }
}

/** As the coordinator said last. */
export function caller() {
  return who;
}

export function setCaller(next) {
  who = next ?? NOBODY;
}

function read() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
