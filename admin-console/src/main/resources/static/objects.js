"use strict";
// Dialogs, and uploads of files and folders. Every file is one PUT whose body the browser streams from the disk.
(() => {
  const AT_ONCE = 3;
  const FAILURES_SHOWN_MAX = 50;
  const ASK_FIRST_BYTES = 1 << 20;

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener) document.getElementById(opener.dataset.open).showModal();
    const closer = event.target.closest("[data-close]");
    if (closer) closer.closest("dialog").close();
    if (event.target.id === "all") {
      for (const box of event.target.closest("table").querySelectorAll("tbody input[type=checkbox]")) {
        box.checked = event.target.checked;
      }
    }
  });

  const zone = document.getElementById("upload");
  if (!zone) return;
  const panel = document.getElementById("uploads");
  const list = document.getElementById("uploads-list");
  const bar = document.getElementById("uploads-bar");
  const text = document.getElementById("uploads-text");
  const cancelButton = document.getElementById("uploads-cancel");
  const retryButton = document.getElementById("uploads-retry");
  const csrf = document.querySelector('meta[name="csrf"]');

  let waiting = [];
  let failed = [];
  const running = new Set();
  let doneFiles = 0;
  let doneBytes = 0;
  let totalFiles = 0;
  let totalBytes = 0;
  let cancelled = 0;

  function size(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    let value = bytes;
    while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
    return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`;
  }

  function address(key) {
    return `/api/v1/buckets/${encodeURIComponent(zone.dataset.bucket)}/object?key=${encodeURIComponent(key)}`;
  }

  function add(file, path) {
    waiting.push({ file, key: (zone.dataset.prefix || "") + path });
    totalFiles++;
    totalBytes += file.size;
  }

  function begin() {
    panel.hidden = totalFiles === 0;
    while (running.size < AT_ONCE && waiting.length > 0) start(waiting.shift());
    show();
  }

  function start(item) {
    item.sent = 0;
    item.row = row(item);
    running.add(item);
    send(item).then(
      () => end(item, true),
      (problem) => {
        item.problem = problem.message;
        if (!item.cancelled) failed.push(item);
        end(item, false);
      });
  }

  function end(item, good) {
    running.delete(item);
    item.row.remove();
    if (good) {
      doneFiles++;
      doneBytes += item.file.size;
    } else {
      totalFiles -= item.cancelled ? 1 : 0;
      totalBytes -= item.cancelled ? item.file.size : 0;
      if (!item.cancelled && failed.length <= FAILURES_SHOWN_MAX) {
        const line = document.createElement("li");
        line.className = "bad failure";
        const name = document.createElement("bdi");
        name.textContent = item.key;
        line.append("failed: ", name, `: ${item.problem}`);
        list.append(line);
      }
    }
    begin();
    if (running.size === 0 && waiting.length === 0) refresh();
  }

  // What is stored while a listing is on its way is not in it: it is fetched once more.
  let refreshing = false;
  let stale = false;

  async function refresh() {
    stale = true;
    if (refreshing || !window.htmx) return;
    refreshing = true;
    try {
      while (stale) {
        stale = false;
        await htmx.ajax("GET", location.href, { source: zone, target: "#listing", select: "#listing", swap: "outerHTML" });
      }
    } finally {
      refreshing = false;
    }
  }

  async function send(item) {
    const replace = document.getElementById("replace").checked;
    const url = address(item.key);
    // A refusal in the middle of a large body would reach the browser as a broken connection.
    if (!replace && item.file.size > ASK_FIRST_BYTES) {
      const there = await fetch(url, { method: "HEAD" });
      if (there.ok) throw new Error("there is an object of this name");
    }
    if (item.cancelled) throw new Error("cancelled");
    await put(item, url, replace);
  }

  function put(item, url, replace) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      item.request = request;
      request.open("PUT", url);
      if (csrf) request.setRequestHeader(csrf.dataset.header, csrf.content);
      if (!replace) request.setRequestHeader("If-None-Match", "*");
      request.setRequestHeader("Content-Type", item.file.type || "application/octet-stream");
      request.upload.onprogress = (event) => {
        item.sent = event.loaded;
        item.row.querySelector("progress").value = item.file.size ? event.loaded / item.file.size : 1;
        show();
      };
      request.onload = () => (request.status === 201 ? resolve() : reject(new Error(problem(request))));
      request.onerror = () => reject(new Error("the connection broke, or the file cannot be read"));
      request.onabort = () => reject(new Error("cancelled"));
      request.send(item.file);
    });
  }

  function problem(request) {
    if (request.status === 412) return "there is an object of this name";
    try {
      return JSON.parse(request.responseText).detail || `status ${request.status}`;
    } catch {
      return `status ${request.status}`;
    }
  }

  function row(item) {
    const line = document.createElement("li");
    const label = document.createElement("label");
    const name = document.createElement("bdi");
    name.textContent = item.key;
    const progress = document.createElement("progress");
    progress.max = 1;
    progress.value = 0;
    const cancel = document.createElement("button");
    cancel.type = "button";
    cancel.className = "outline small";
    cancel.textContent = "Cancel";
    cancel.setAttribute("aria-label", `Cancel ${item.key}`);
    cancel.onclick = () => stop(item);
    label.append(name, ` ${size(item.file.size)} `, progress);
    line.append(label, cancel);
    list.prepend(line);
    return line;
  }

  function stop(item) {
    item.cancelled = true;
    cancelled++;
    if (item.request) item.request.abort();
  }

  function show() {
    let sent = doneBytes;
    for (const item of running) sent += Math.min(item.sent, item.file.size);
    bar.value = totalBytes ? sent / totalBytes : totalFiles ? doneFiles / totalFiles : 0;
    const busy = running.size > 0 || waiting.length > 0;
    text.textContent = `${doneFiles} of ${totalFiles} files stored, ${size(sent)} of ${size(totalBytes)}`
      + (failed.length ? `, ${failed.length} failed` : "") + (cancelled ? `, ${cancelled} cancelled` : "")
      + (busy ? "" : ". Done.");
    cancelButton.hidden = !busy;
    retryButton.hidden = busy || failed.length === 0;
  }

  cancelButton.onclick = () => {
    cancelled += waiting.length;
    for (const item of waiting) { totalFiles--; totalBytes -= item.file.size; }
    waiting = [];
    for (const item of running) stop(item);
    show();
  };

  retryButton.onclick = () => {
    waiting = failed.map(({ file, key }) => ({ file, key }));
    failed = [];
    for (const line of list.querySelectorAll(".failure")) line.remove();
    begin();
  };

  // Folders that were dropped are read in parts of about 100 entries.
  async function walk(entry, path) {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      add(file, path + entry.name);
    } else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (part.length === 0) return;
        for (const each of part) await walk(each, `${path}${entry.name}/`);
      }
    }
  }

  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    const files = [...event.dataTransfer.files];
    try {
      if (entries.some(Boolean)) {
        for (const entry of entries) if (entry) await walk(entry, "");
      } else {
        for (const file of files) add(file, file.name);
      }
    } catch (problem) {
      panel.hidden = false;
      const line = document.createElement("li");
      line.className = "bad failure";
      line.textContent = `failed: the folder cannot be read: ${problem.message}`;
      list.append(line);
    }
    begin();
  });
  document.getElementById("files").onchange = (event) => {
    for (const file of event.target.files) add(file, file.name);
    event.target.value = "";
    begin();
  };
  document.getElementById("folder").onchange = (event) => {
    for (const file of event.target.files) add(file, file.webkitRelativePath || file.name);
    event.target.value = "";
    begin();
  };
  window.addEventListener("beforeunload", (event) => {
    if (running.size > 0) event.preventDefault();
  });
})();
