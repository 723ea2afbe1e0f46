"use strict";
// Every request of htmx carries the token against forged requests.
document.addEventListener("htmx:configRequest", (event) => {
  const csrf = document.querySelector('meta[name="csrf"]');
  if (csrf) event.detail.headers[csrf.dataset.header] = csrf.content;
});

// A failed request shows its notice at the top instead of replacing anything.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) {
    event.detail.shouldSwap = true;
    event.detail.target = document.getElementById("notices");
    event.detail.swapOverride = "innerHTML";
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("#theme")) {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  }
});
