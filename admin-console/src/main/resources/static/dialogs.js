"use strict";
// A button with data-dialog opens the dialog of this id, one with data-close closes its dialog. A dialog also closes when the
// request of its form has succeeded.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  const dialog = opener && document.getElementById(opener.dataset.dialog);
  if (dialog && !dialog.open) dialog.showModal();
  const closer = event.target.closest("[data-close]");
  if (closer) closer.closest("dialog").close();
});

document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target;
  if (form.tagName !== "FORM") return;
  const dialog = form.closest("dialog");
  if (dialog && dialog.open) dialog.close();
});
