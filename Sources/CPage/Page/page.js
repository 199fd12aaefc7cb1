// The page: what the unit says of itself is shown, and nothing of it is obeyed.

import { Controls } from "/controls.js";
import { at, element, put, putSteadily, steady } from "/elements.js";
import { Equaliser } from "/equaliser.js";
import { History } from "/history.js";
import { Meters, SpectrumView, level } from "/meters.js";
import { Player, pauseBefore } from "/player.js";
import { Stage } from "/stage.js";

const stage = new Stage(at("wave"), at("views"), leaveOut), spectrum = new SpectrumView(at("spectrum")), meters = new Meters(at("meters"));
const losses = new History(at("history"));
const controls = new Controls(ask);
const equaliser = new Equaliser(at("bands"), at("band"), at("bands-note"), ask);

// The token stands behind the # of the address, where no server and no log sees it.
const storage = "iounit.token";
let token = tokenOfAddress();
if (token) keep(token); else token = kept();

/** It does not stay there. */
function tokenOfAddress() {
  const word = new URLSearchParams(location.hash.slice(1)).get("token");
  if (word) history.replaceState(null, "", location.pathname);
  return word;
}

/** A browser that may keep nothing for a site refuses even the look. */
function kept() { try { return sessionStorage.getItem(storage); } catch { return null; } }

function keep(word) {
  try {
    if (word) sessionStorage.setItem(storage, word); else sessionStorage.removeItem(storage);
  } catch { /* Then it is asked for again. */ }
}

function url(path) {
  const address = new URL(path, location.href);
  if (token) address.searchParams.set("token", token);
  return address.href;
}

function links() { for (const link of document.querySelectorAll("[data-stream]")) link.href = url(link.getAttribute("href").split("?")[0]); }

// The figures.

let scene = null, mayControl = false, socket = null, attempt = 0, heard = 0;
/** Whether all of the scene has come by this connection. */
let isKnown = false;
/** What the unit has refused, for as long as it takes to read that. */
let refusal = { text: "", until: 0 };

const states = {
  running: "Running", paused: "Paused", interrupted: "Interrupted", freewheeling: "Freewheeling", waiting: "Connecting",
  lost: "Connection lost", ended: "Ended",
};

function showState(state, trouble) {
  at("state").dataset.state = state;
  put("state-text", states[state] ?? state);
  at("trouble").hidden = !trouble;
  if (trouble) put("trouble", trouble);
  document.title = state === "running" ? "iounit" : `iounit – ${states[state] ?? state}`;
}

function clock(seconds) {
  const whole = Math.floor(seconds), two = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  return `${hours ? `${hours}:` : ""}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

let slow = -Infinity;

function show(next, now) {
  scene = next;
  const groups = [{ name: "Input", channels: scene.inputs }, { name: "Output", channels: scene.outputs }];
  meters.update(groups.filter(({ channels }) => channels.length), now);
  stage.take(scene);
  spectrum.take(scene.spectrum);
  losses.take(scene);
  equaliser.take(scene.equaliser, scene.spectrum, mayControl);
  showState(scene.state, now < refusal.until ? refusal.text : scene.trouble);
  // What people read changes no more often than they read.
  if (now - slow < 200) return;
  slow = now;
  put("title", [scene.name, ...scene.title].join("  ·  "));
  const loud = scene.loudness;
  put("loudness", level(loud?.integrated));
  for (const name of ["loudness", "peak"]) at(name).closest("div").hidden = !loud;
  putSteadily("loudness-more", loud ? `now ${level(loud.momentary)}, 3 s ${level(loud.shortTerm)}` : "");
  put("peak", level(loud?.truePeak));
  at("peak").closest("div").classList.toggle("bad", (loud?.truePeak ?? -200) > -1);
  // Neither is there while the unit has no callbacks.
  const { load, interval } = scene;
  put("load", load === null ? "–" : (load * 100).toFixed(1));
  put("interval", interval ? interval.mean.toFixed(2) : "–");
  putSteadily("interval-more", interval ? `${interval.shortest.toFixed(2)} to ${interval.longest.toFixed(2)}` : "");
  put("xruns", String(scene.xruns));
  at("xruns").closest("div").classList.toggle("bad", scene.xruns > 0);
  put("lost", scene.lostMilliseconds.toFixed(1));
  at("lost").closest("div").classList.toggle("bad", scene.lostMilliseconds > 0);
  putSteadily("words", scene.words.join("  ·  "));
  put("elapsed", clock(scene.elapsed));
  const recording = scene.recording;
  at("recording-figure").classList.toggle("on", recording?.isOn ?? false);
  put("recording", !recording ? "off" : recording.hasFailed ? "STOPPED" : recording.isOn ? clock(recording.seconds) : "paused");
  putSteadily("recording-more", recording ? recording.path + (recording.droppedFrames ? `, ${recording.droppedFrames} frames DROPPED` : "") : "");
  controls.take(scene, mayControl);
  showEvents(scene.events);
  put("company", `${scene.viewers} ${scene.viewers === 1 ? "page" : "pages"} open, ${scene.listeners} listening`);
}

let toldEvents = "";

function showEvents(events) {
  const all = JSON.stringify(events);
  if (all === toldEvents || !events.length) return;
  toldEvents = all;
  at("events").replaceChildren(...events.toReversed().map(({ time, text }) => {
    const item = element("li"), date = new Date(time);
    const clockTime = isNaN(date) ? "" : date.toLocaleTimeString([], { hourCycle: "h23" });
    item.append(element("time", { dateTime: time, textContent: clockTime }), element("span", { textContent: text }));
    return item;
  }));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=range]), select, textarea")) return;
  const key = event.key.toLowerCase();
  // One that is held switches once, and moves on and on.
  if (event.repeat && key !== "+" && key !== "-") return;
  if (key === "l") at("listen").click();
  if (key === "v") stage.turn();
  if (scene) controls.press(key);
});

// The connection.

function ask(set, value) { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ set, value })); }

/** What is not shown need not come, nor what the controls are: once they are known, each has its value in a member of its own. */
function leaveOut() {
  const without = stage.view === "scope" ? ["controls"] : ["controls", "scope"];
  if (isKnown && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ without }));
}

/** Without a connection nothing is asked for: a control that moved would show what was not done. */
function shut() {
  mayControl = false;
  at("controls").disabled = true;
  equaliser.shut();
}

function connect() {
  clearTimeout(connect.timer);
  shut();
  const opened = socket = new WebSocket(url("/live").replace(/^http/, "ws"), "iounit.live.2");
  let wasOpen = false;
  isKnown = false;
  heard = performance.now();
  opened.onopen = () => {
    wasOpen = true; attempt = 0; heard = performance.now();
    at("token-form").hidden = true;
    player.renew();
  };
  opened.onmessage = ({ data }) => {
    heard = performance.now();
    const message = JSON.parse(data);
    if ("mayControl" in message) mayControl = message.mayControl;
    else if ("refused" in message) {
      refusal = { text: message.refused, until: heard + 5000 };
      showState(scene?.state ?? "running", refusal.text);
    } else {
      show({ ...scene, ...message }, heard);
      if (isKnown || opened !== socket) return;
      isKnown = true;
      leaveOut();
    }
  };
  opened.onclose = async () => {
    if (opened !== socket) return;
    const { status, text } = wasOpen ? {} : await answer("/live", token);
    if (opened !== socket) return;
    if (status !== 401) return lose(status === 503 ? text : "");
    // One of another run does not shut a page that needs none.
    if (token && (await answer("/status.json")).status === 200) return use(null);
    showState("waiting", "");
    at("token-form").hidden = false;
    at("token-wrong").hidden = !token;
    at("token").focus();
  };
}

/** `reason` is what iounit says of it, where it does. */
function lose(reason) {
  shut();
  if (scene?.state === "ended") showState("ended", "The run has ended. The page goes on when iounit is started again.");
  else if (reason) showState("waiting", reason);
  else showState("lost", scene ? "The connection to iounit is lost. What you see is from before; it is tried again." : "iounit does not answer; it is tried again.");
  connect.timer = setTimeout(connect, pauseBefore(attempt++));
}

/** What iounit answers: nothing where it does not within five seconds. */
async function answer(path, word) {
  // What no header carries is in no token either, and is to be refused as one.
  const headers = word ? { Authorization: `Bearer ${word.replace(/[^!-~]/g, "?")}` } : {};
  try {
    const response = await fetch(path, { headers, signal: AbortSignal.timeout(5000) });
    return { status: response.status, text: await response.text() };
  } catch { return {}; }
}

/** No token where it is `null`. */
function use(word) {
  token = word;
  keep(token);
  links();
  connect();
}

// The address of another run, with its token, put into the same tab loads nothing anew.
addEventListener("hashchange", () => {
  const word = tokenOfAddress();
  if (!word) return;
  socket?.close();
  use(word);
});

at("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  use(at("token").value.trim());
});

// The page goes on without controls where the token is wrong.
at("control-token").addEventListener("submit", async (event) => {
  event.preventDefault();
  const word = at("control-word").value.trim();
  const isWrong = (await answer("/status.json", word)).status === 401;
  at("control-wrong").hidden = !isWrong;
  if (isWrong) return;
  socket?.close();
  use(word);
});

// Half open: nothing has come for three seconds, though figures come all the time. And a browser may try to connect for minutes.
setInterval(() => {
  const limit = { [WebSocket.CONNECTING]: 10000, [WebSocket.OPEN]: 3000 }[socket?.readyState];
  if (limit && performance.now() - heard > limit) {
    const silent = socket;
    socket = null;
    silent.close();
    lose();
  }
}, 1000);

// Listening.

const player = new Player({ url, answer: (path) => answer(path, token), channels: () => scene?.outputs.length ?? 2, changed: showPlayer });
globalThis.iounitPlayer = player;

function showPlayer() {
  const { state, figures } = player;
  at("listen").setAttribute("aria-pressed", String(player.isOn));
  put("listen-name", player.isOn ? "Stop listening" : "Listen");
  put("listen-title", {
    off: "Listen", connecting: "Connecting", waiting: "Filling the buffer", playing: "Live", plain: "Live", lost: "Stream lost", failed: "Cannot play",
  }[state]);
  const name = { opus: "Opus", pcm16: "PCM" }[player.codec];
  const many = player.opening?.channels > 2 ? `, channels 1 and 2 of ${player.opening.channels}` : "";
  put("listen-state", {
    off: "to what the unit plays, live", connecting: "", waiting: name && !player.isPlain ? `${name}${many}` : "", playing: `${name} at ${(player.opening?.rate ?? 0) / 1000} kHz${many}`,
    plain: "with a delay of some seconds: a short one needs https", lost: player.reason || "it is tried again", failed: player.reason,
  }[state]);
  at("tune").hidden = !player.isOn;
  at("buffer").closest("label").hidden = player.isPlain;
  if (!figures || !player.isOn) return put("delay", "");
  const delay = figures.latencyMilliseconds;
  // Two machines' clocks may differ by more than any delay.
  const whole = delay > 0 && delay < 10000 ? `${delay.toFixed(0)} ms behind the unit, ` : "";
  const faults = figures.underruns ? `, ${figures.underruns} ${figures.underruns === 1 ? "underrun" : "underruns"}` : "";
  const lost = player.lostPackets ? `, ${player.lostPackets} ${player.lostPackets === 1 ? "packet" : "packets"} lost` : "";
  putSteadily("delay", `${whole}buffer ${(figures.filled * 1000).toFixed(0)} ms, target ${(figures.margin * 1000).toFixed(0)} ms${faults}${lost}`);
}

for (const range of [at("volume"), at("buffer")]) steady(range);
at("listen").addEventListener("click", () => player.isOn ? player.stop() : player.start());
at("volume").addEventListener("input", () => player.setVolume(Number(at("volume").value) ** 2));
at("buffer").addEventListener("input", () => {
  put("buffer-value", `${at("buffer").value} ms`);
  player.setBuffer(Number(at("buffer").value) / 1000);
});

for (const mark of document.querySelectorAll(".scale span")) mark.style.left = `${(Number(mark.dataset.db) + 60) / 60 * 100}%`;

let drawn = 0;

function draw(now) {
  requestAnimationFrame(draw);
  // More often nobody sees it, and a phone's battery does.
  if (now - drawn < 30) return;
  drawn = now;
  meters.draw(now);
  stage.draw();
  spectrum.draw(now, equaliser);
  losses.draw();
}

links();
showPlayer();
connect();
requestAnimationFrame(draw);
