"use strict";
// Everything shown comes from GET api/status and api/groups and is put in as text, never as markup.
const REFRESH_MILLIS = 2000;

function cell(text, kind) {
  const td = document.createElement("td");
  if (kind === "code") {
    const code = document.createElement("code");
    code.textContent = text;
    td.append(code);
  } else {
    td.textContent = text;
    if (kind) td.className = kind;
  }
  return td;
}

function fill(id, rows, empty) {
  const body = document.getElementById(id);
  body.replaceChildren();
  for (const row of rows) {
    const tr = document.createElement("tr");
    tr.append(...row.map(([text, kind]) => cell(text, kind)));
    body.append(tr);
  }
  if (rows.length === 0) {
    const td = cell(empty, "empty");
    td.colSpan = 9;
    const tr = document.createElement("tr");
    tr.append(td);
    body.append(tr);
  }
}

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = count, unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return (unit === 0 ? value : value.toFixed(1)) + " " + units[unit];
}

const number = (n) => [n.toLocaleString("en"), "number"];
const state = (up) => up ? ["up", "good"] : ["unreachable", "bad"];
const stateOf = (node) => !node.reachable ? [`unreachable (${node.state})`, "bad"]
  : [node.state, node.state === "ok" ? "good" : node.state.startsWith("read-only") ? "bad" : "warn"];
const accuses = (verdict) => /^(corrupt|misbehaved)/.test(verdict);
// A node that does not answer has not told how much it stores.
const told = (node, text) => [node.reachable ? text : "–", "number"];

function time(millis) {
  const seconds = Math.round(millis / 1000);
  return millis < 1e3 ? `${millis} ms` : millis < 60e3 ? `${(millis / 1000).toFixed(1)} s` : seconds < 3600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
}
const step = (millis) => [millis === null || millis === undefined ? "–" : time(millis), "number"];
const alarms = (r) => [r.slow ? "slow" : "", r.overdue ? "overdue" : "", r.forgotten ? "promises lost" : ""].filter((word) => word).join(", ");
// Who took another one's place could do no harm before: since then it may be faulty.
const lastOf = (r) => r.lastMillis !== null ? new Date(r.lastMillis).toLocaleString()
  : r.joinedMillis !== null ? `joined ${new Date(r.joinedMillis).toLocaleString()}` : "never";

function showRecoveries(all) {
  const window = document.getElementById("window");
  window.textContent = all.periodMillis === 0 ? "Replicas do not recover here."
    : all.windowMillis === null ? `Window of vulnerability: ${all.unbounded}.`
    : `Window of vulnerability: ${time(all.windowMillis)} at most, of it T_w ${time(all.periodMillis)} and twice the oldest key in force, ${time(all.oldestKeyMillis)}.`;
  const calm = all.replicas.every((r) => alarms(r) === "");
  window.className = !calm ? "bad" : all.windowMillis === null ? "warn" : "good";
  fill("recoveries", all.replicas.map((r) => [[`replica-${r.number}`], [r.phase === "none" ? "–" : r.phase, r.phase === "none" ? "" : "warn"],
    [lastOf(r)], step(r.steps?.estimatedMillis), step(r.steps?.answeredMillis),
    step(r.steps?.checkedMillis), step(r.steps?.recoveredMillis), r.steps ? number(r.steps.damagedPages) : ["–", "number"], [alarms(r), "bad"]]), "No replicas.");
}

const nodes = (numbers) => numbers.length === 0 ? "–" : numbers.map((n) => `node-${n}`).join(", ");
const holding = (group, slots) => nodes(slots.map((slot) => group.holders[slot]));

function nextEpoch(group) {
  const change = group.change;
  if (!change) return "–";
  const holder = group.holders[change.slot];
  const what = change.node === holder ? "the same holders (given up)" : `node-${holder} to node-${change.node}`;
  return `${what}, sealed by ${change.sealed.length} of ${group.holders.length}`;
}

const changes = (group) => group.change || group.unconfirmed.length > 0;
const groupRow = (g) => [[g.volume], number(g.group), number(g.epoch), [nodes(g.holders)], [holding(g, g.fresh), g.fresh.length > 0 ? "warn" : ""],
  [holding(g, g.unconfirmed), g.unconfirmed.length > 0 ? "warn" : ""], [nextEpoch(g), g.change ? "warn" : ""]];

function epochs(groups) {
  const all = groups.map((g) => g.epoch);
  const least = Math.min(...all), most = Math.max(...all);
  return all.length === 0 ? "–" : least === most ? `${least}` : `${least} to ${most}`;
}

function showGroups(groups) {
  const changing = groups.filter(changes);
  fill("changing", changing.map(groupRow), "None: every holder has what belongs to its slot and has agreed to its epoch.");
  fill("groups", groups.map(groupRow), "No volume yet.");
  document.getElementById("groups-summary").textContent = `All ${groups.length} placement groups`;
}

function rebuildOf(node) {
  const rebuild = node.rebuild;
  if (!rebuild) return "";
  const takes = rebuild.remainingMillis === null ? "" : `, about ${time(rebuild.remainingMillis)}`;
  return `${bytes(rebuild.madeBytes)} made, about ${bytes(rebuild.leftBytes)} left; ${bytes(rebuild.bytesPerSecond)}/s of ${bytes(rebuild.limitBytesPerSecond)}/s${takes}`;
}

// What is left while nodes catch up is known for the volume, not for each group: the truth lies between the two.
function faults(v) {
  const most = Math.max(0, v.faultsLeftAtMost);
  const least = Math.max(0, v.faultsLeft);
  const why = v.unverifiedNodes.length > 0 ? `unverified: ${nodes(v.unverifiedNodes)}` : "nodes catch up";
  return v.faultsLeftAtMost < 0 ? `0 of ${v.f}, ${-v.faultsLeftAtMost} too many`
    : least < most ? `${least} to ${most} of ${v.f}, ${why}` : `${least} of ${v.f}`;
}

function show(status, groups) {
  const up = status.nodes.filter((n) => n.reachable).length;
  const replicas = status.replicas.filter((r) => r.reachable).length;
  const least = status.volumes.length === 0 ? null : Math.min(...status.volumes.map((v) => v.faultsLeft));
  const most = Math.min(...status.volumes.map((v) => v.faultsLeftAtMost));
  const summary = document.getElementById("summary");
  summary.textContent = `${up} of ${status.nodes.length} nodes and ${replicas} of ${status.replicas.length} replicas answer`
    + (least === null ? "." : least > 0 ? `; every volume can take ${least} more fault${least === 1 ? "" : "s"}.`
      : most < 0 ? "; at least one volume has more faults than it tolerates."
        : most > 0 ? "; some nodes are unverified or have blocks to repair: until they finish, a volume may not tolerate another fault."
          : "; at least one volume can tolerate no further fault now.");
  summary.className = least === null || least > 0 ? "good" : most >= 0 ? "warn" : "bad";
  fill("volumes", status.volumes.map((v) => [[v.name], [v.kind.toLowerCase()],
    [v.policy], [bytes(v.blockBytes), "number"],
    number(groups.filter((g) => g.volume === v.name).length), [epochs(groups.filter((g) => g.volume === v.name)), "number"],
    [faults(v), v.faultsLeft >= v.f ? "good" : v.faultsLeftAtMost >= 0 ? "warn" : "bad"]]),
    "No volume yet; the first bucket makes one.");
  fill("nodes", status.nodes.map((n) => [[`node-${n.number}`], [n.address], stateOf(n), told(n, bytes(n.usedBytes)),
    told(n, bytes(n.freeBytes)), told(n, n.pending.toLocaleString("en")), [rebuildOf(n)],
    number(groups.filter((g) => g.holders.includes(n.number)).length),
    number(groups.filter((g) => g.fresh.some((slot) => g.holders[slot] === n.number)).length),
    [Object.entries(n.seen).map(([v, c]) => `${v}: ${c}`).join(", "), Object.keys(n.seen).some(accuses) ? "bad" : ""]]), "No nodes.");
  showGroups(groups);
  fill("replicas", status.replicas.map((r) => [[`replica-${r.number}`], [r.address], state(r.reachable), told(r, r.applied.toLocaleString("en")),
    !r.reachable ? ["–"] : r.agrees ? ["yes", "good"] : ["no", "bad"]]), "No replicas.");
  showRecoveries(status.recoveries);
  fill("buckets", status.buckets.map((b) => [[b.name], [b.volume], number(b.objects), [bytes(b.bytes), "number"]]),
    "No bucket yet; `bulwark mb NAME` makes one.");
  fill("faults", status.faults.map((f) => [[f.node], [f.verdict, accuses(f.verdict) ? "bad" : "warn"],
    [f.block, "code"], [f.detail], [new Date(f.lastMillis).toLocaleString()]]),
    "None. A node's fault goes on record when f + 1 others have met it; what single ones saw stands with the node above.");
}

async function get(what) {
  const response = await fetch(what, { cache: "no-store" });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `the console answered ${response.status}`);
  return body;
}

async function refresh() {
  try {
    const [status, groups] = await Promise.all([get("api/status"), get("api/groups")]);
    show(status, groups);
    document.body.classList.remove("old");
  } catch (e) {
    const summary = document.getElementById("summary");
    summary.textContent = `No status now: ${e.message}`;
    document.body.classList.add("old");
    summary.className = "bad";
  }
  setTimeout(refresh, REFRESH_MILLIS);
}
refresh();
