"use strict";
// The file goes along as text, in a field of the form.
const form = document.getElementById("key-form");
form.addEventListener("submit", async (event) => {
  const content = document.getElementById("key-content");
  if (content.value) return;
  event.preventDefault();
  const file = document.getElementById("key-file").files[0];
  if (!file || file.size > 16384) {
    content.value = "";
    document.getElementById("key-file").setCustomValidity("A key has at most 16 KiB.");
    document.getElementById("key-file").reportValidity();
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  content.value = btoa(String.fromCharCode(...bytes));
  form.submit();
});
document.getElementById("key-file").addEventListener("change", (event) => event.target.setCustomValidity(""));
