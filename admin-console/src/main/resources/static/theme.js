"use strict";
// Runs before the page is drawn, so that it does not flash in the other colours.
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();
