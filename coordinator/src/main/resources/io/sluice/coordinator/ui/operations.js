// Buttons for admin operations. Each opens a confirmation dialog.

import { mutate } from "./api.js";
import { h } from "./dom.js";
import { caller } from "./session.js";

/** Buttons of admin operations; null if the caller lacks the permission. */
export function operationButtons(...buttons) {
  return caller().mayChange ? h("div", { class: "heading-end", "data-key": "operations" }, buttons.filter(Boolean)) : null;
}

/** One button: label, question of the dialog, and the request (method, path and body). */
export function operationButton(label, question, method, path, body) {
  return h("button", { type: "button", class: "quiet", "data-key": `operation-${label}`, on: { click: () => openDialog(label, question, () => mutate(method, path, body)) } }, label);
}

function openDialog(label, question, perform) {
  const error = h("p", { class: "tone-bad", role: "alert" });
  const yes = h("button", { type: "button", class: "quiet strong" }, label);
  const no = h("button", { type: "button", class: "quiet" }, "Cancel");
  const dialog = h("dialog", { class: "card", "aria-label": label }, h("h2", null, label), h("p", null, question), error, h("div", { class: "heading-end" }, yes, no));
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    try {
      await perform();
      dialog.close();
      dispatchEvent(new Event("sluice-changed"));
    } catch (failure) {
      error.textContent = failure.message;
      yes.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
