// The form for a user's name and secret, and the button in the bar.

import { get, Refusal } from "./api.js";
import { h } from "./dom.js";
import { caller, keep, setCaller, token } from "./session.js";

/** Asks the coordinator who looks, and shows it in the bar. A token that is not known any more is forgotten. */
export async function lookWhoAsks(button) {
  try {
    setCaller(await get("caller"));
  } catch (failure) {
    if (failure instanceof Refusal && failure.status === 401 && token() !== null) {
      keep(null);
      return lookWhoAsks(button);
    }
    // Whoever asks next will know.
  }
  const { user, tokens } = caller();
  button.hidden = !tokens && user === null;
  button.textContent = token() !== null ? `Sign out ${user ?? ""}` : user ?? "Sign in";
  button.disabled = token() === null && user !== null; // Known by a certificate.
}

/** A form; `done` is called once the coordinator knows who it is, `cancel`, if there is one, when nobody wants to. */
export function signInForm(why, done, cancel) {
  const trouble = h("p", { class: "tone-bad", role: "alert" });
  const button = h("button", { type: "submit", class: "quiet" }, "Sign in");
  const form = h("form", { class: "card message sign-in", "data-key": "sign-in" },
    h("h1", null, "Sign in"), h("p", null, why),
    h("label", null, "User", h("input", { name: "user", autocomplete: "username", autocapitalize: "none", spellcheck: "false", required: true })),
    h("label", null, "Secret", h("input", { name: "secret", type: "password", autocomplete: "current-password", required: true })),
    h("div", { class: "heading-end" }, button, cancel ? h("button", { type: "button", class: "quiet", on: { click: cancel } }, "Not now") : null), trouble,
    h("p", { class: "note" }, "Both as the coordinators' users file has them. This tab keeps them until it is closed."));
  form.addEventListener("submit", async event => {
    event.preventDefault();
    button.disabled = true;
    const before = token();
    keep(`${form.elements.user.value.trim()}.${form.elements.secret.value.trim()}`);
    try {
      setCaller(await get("caller"));
      done();
    } catch (failure) {
      keep(before);
      trouble.textContent = failure instanceof Refusal ? "The coordinator does not know this user with this secret." : "The coordinator cannot be reached.";
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
