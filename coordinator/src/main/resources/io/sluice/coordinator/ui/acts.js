// Buttons that change something. Each asks once more before it does.

import { act } from "./api.js";
import { h } from "./dom.js";
import { caller } from "./session.js";

/** Buttons for whoever may use them; none for others. */
export function actButtons(...buttons) {
  return caller().mayChange ? h("div", { class: "heading-end", "data-key": "acts" }, buttons.filter(Boolean)) : null;
}

/** One of them: what it says, what it asks, and what it does: method, path and body. */
export function actButton(label, question, method, path, body) {
  return h("button", { type: "button", class: "quiet", "data-key": `act-${label}`, on: { click: () => ask(label, question, () => act(method, path, body)) } }, label);
}

function ask(label, question, perform) {
  const trouble = h("p", { class: "tone-bad", role: "alert" });
  const yes = h("button", { type: "button", class: "quiet strong" }, label);
  const no = h("button", { type: "button", class: "quiet" }, "Not now");
  const dialog = h("dialog", { class: "card", "aria-label": label }, h("h2", null, label), h("p", null, question), trouble, h("div", { class: "heading-end" }, yes, no));
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    try {
      await perform();
      dialog.close();
      dispatchEvent(new Event("sluice-changed"));
    } catch (failure) {
      trouble.textContent = failure.message;
      yes.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
