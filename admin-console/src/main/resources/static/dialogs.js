"use strict";
// A button with data-dialog opens the dialog of this id. A dialog closes when the request of its form has ended: its notice stands
// behind it.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  const dialog = opener && document.getElementById(opener.dataset.dialog);
  if (dialog && !dialog.open) dialog.showModal();
});

document.addEventListener("htmx:afterRequest", (event) => {
  const dialog = event.target.tagName === "FORM" && event.target.closest("dialog");
  if (dialog && dialog.open) dialog.close();
});
