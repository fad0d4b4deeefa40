// The sign-in form and the button in the header.

import { get, ApiError } from "./api.js";
import { h } from "./dom.js";
import { caller, setToken, setCaller, token } from "./session.js";

/** Loads the caller from the coordinator and shows the user in the header. Deletes a token that is no longer valid. */
export async function loadCaller(button) {
  try {
    setCaller(await get("caller"));
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 401 && token() !== null) {
      setToken(null);
      return loadCaller(button);
    }
    // The next request reports the failure.
  }
  const { user, tokens } = caller();
  button.hidden = !tokens && user === null;
  button.textContent = token() !== null ? `Sign out ${user ?? ""}` : user ?? "Sign in";
  button.disabled = token() === null && user !== null; // Authenticated by a client certificate.
}

/** The sign-in form. Calls `done` after a successful sign-in; shows a Cancel button if `cancel` is given. */
export function signInForm(why, done, cancel) {
  const error = h("p", { class: "tone-bad", role: "alert" });
  const button = h("button", { type: "submit", class: "quiet" }, "Sign in");
  const form = h("form", { class: "card message sign-in", "data-key": "sign-in" },
    h("h1", null, "Sign in"), h("p", null, why),
    h("label", null, "User", h("input", { name: "user", autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true })),
    h("label", null, "Secret", h("input", { name: "secret", type: "password", autocomplete: "current-password", required: true })),
    h("div", { class: "heading-end" }, button, cancel ? h("button", { type: "button", class: "quiet", on: { click: cancel } }, "Cancel") : null), error,
    h("p", { class: "note" }, "User of the coordinator's rss.security.users.file, and its secret. They are stored in this tab until it is closed."));
  form.addEventListener("submit", async event => {
    event.preventDefault();
    button.disabled = true;
    const before = token();
    setToken(`${form.elements.user.value.trim()}:${form.elements.secret.value.trim()}`);
    try {
      setCaller(await get("caller"));
      done();
    } catch (failure) {
      setToken(before);
      error.textContent = failure instanceof ApiError ? (failure.status === 401 ? "Unknown user or wrong secret." : failure.message) : "The coordinator cannot be reached.";
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
