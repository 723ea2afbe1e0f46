"use strict";
// One stream of events for a visible page; parts with hx-trigger="live-status from:body" ask again at each event. A hidden page gives its
// connection back, as a browser opens only six to one server.
(() => {
  let stream = null;
  let polling = 0;
  const tell = () => {
    if (!document.hidden) document.body.dispatchEvent(new CustomEvent("live-status"));
  };
  const poll = (on) => {
    if (on && !polling) polling = setInterval(tell, 5000);
    if (!on) {
      clearInterval(polling);
      polling = 0;
    }
  };
  const open = () => {
    if (stream || document.hidden) return;
    stream = new EventSource("/events");
    stream.addEventListener("status", tell);
    stream.onopen = () => poll(false);
    stream.onerror = () => {
      poll(true);
      if (stream && stream.readyState === EventSource.CLOSED) {
        stream = null;
        setTimeout(open, 15000);
      }
    };
  };
  const close = () => {
    if (stream) stream.close();
    stream = null;
    poll(false);
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
})();

// A dialog that the server sent opens as it arrives, and closes with Escape or its own button.
document.addEventListener("htmx:afterSwap", (event) => {
  for (const dialog of event.detail.target.querySelectorAll("dialog[data-modal]")) {
    if (!dialog.open) dialog.showModal();
  }
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
});
document.addEventListener("htmx:afterRequest", (event) => {
  const dialog = event.detail.elt.closest && event.detail.elt.closest("dialog[data-modal]");
  if (dialog) dialog.close();
});

// A live part keeps the keyboard's focus: the link that had it gets it again after the part was replaced.
(() => {
  let focused = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const active = document.activeElement;
    focused = active && active.href && event.detail.target.contains(active) ? active.getAttribute("href") : null;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!focused) return;
    for (const link of event.detail.target.querySelectorAll("a[href]")) {
      if (link.getAttribute("href") === focused) {
        link.focus({ preventScroll: true });
        break;
      }
    }
    focused = null;
  });
})();
