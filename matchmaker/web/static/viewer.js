/* Watch a match: load a course, step through it, and let the game's own module draw the table.

   A drawing module is found by the game's name, `drawings/NAME.js`. It exports `draw(table)`, which
   gives an element, and may export `style`, `names(components)`, `seat(n)`, `turn(view)`,
   `phase(table)` and `text(table)`. Events come with their
   sentences, options with their words. */

import { Course } from "./course.js";
import { clock, count, h, heard, svg, words } from "./dom.js";

const root = document.getElementById("viewer");
const { address, query, drawing: path, components: parts, plain } = root.dataset;
let live = Boolean(root.dataset.live);
const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const POLL_MS = 2000;
const AGAIN_MS = 5000; // to the next look at a match of which nothing can be shown yet
const FIRST_STEPS = 100; // that are shown before the rest of a long match has come

const state = { course: null, told: null, drawing: {}, names: new Map(), components: null, n: 0,
  viewer: "", playing: false, timer: 0, speed: 2, turns: [], follow: live, busy: false,
  promised: live && location.hash.length > 1 };

// Loading

const get = async (url) => {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || `the server answers ${answer.status}`);
  }
  return answer.json();
};

const url = (viewer, after = 0, most = 0) => {
  const asked = new URLSearchParams(query);
  asked.set("viewer", viewer);
  if (after) asked.set("after", after);
  if (most) asked.set("most", most);
  return `${address}?${asked}`;
};

/* Load a viewer's course; only its begin, if that is enough to show something. */
const load = async (viewer, place, most = 0) => {
  root.setAttribute("aria-busy", "true");
  delete root.dataset.whole;
  try {
    const told = await get(url(viewer, 0, most));
    if (told.cards !== root.dataset.cards) state.components = null; // an owner's own transcription
    state.told = told;
    state.viewer = viewer;
    state.course = new Course(told);
    state.turns = [];
    findTurns();
    show(place(state.course));
    if (told.over || live) root.dataset.whole = "true";
  } finally {
    root.removeAttribute("aria-busy");
  }
};

/* The rest of a course whose begin is shown. */
const rest = async () => {
  const { course, viewer } = state;
  const part = await get(url(viewer, course.steps.length));
  if (state.course !== course) return; // another viewer's was asked for meanwhile
  course.add(part);
  findTurns();
  show(state.n);
  root.dataset.whole = "true";
};

const more = async () => {
  if (document.hidden || state.busy) return;
  state.busy = true;
  try {
    const part = await get(url(state.viewer, state.course.steps.length));
    state.told = { ...state.told, ...part };
    const atEnd = state.n === state.course.last;
    state.course.add(part);
    findTurns();
    if (atEnd && state.follow && part.steps.length) play(true);
    else show(state.n);
    if (part.over) await becomeReplay();
    else if (part.end) say("The match has ended; its replay comes when it is closed.");
  } catch (fault) {
    say(`Not now: ${fault.message}`);
  } finally {
    state.busy = false;
  }
};

/* The page as the server has it now. */
const pageNow = async () => {
  const answer = await fetch(location.pathname + location.search, { cache: "no-cache", headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
};

/* The match was closed: what its replay's page has more is put into this one. Who followed stays
   where he is, as the public; who came by a link to a position is led there. */
const becomeReplay = async () => {
  const page = await pageNow();
  const fresh = page.getElementById("viewer");
  if (!fresh || fresh.dataset.live) return; // the next look asks again
  clearInterval(state.polling);
  live = false;
  document.title = page.title;
  document.getElementById("about").replaceWith(document.importNode(page.getElementById("about"), true));
  delete root.dataset.live;
  Object.assign(root.dataset, fresh.dataset);
  offerViewers();
  parted.viewer.value = state.viewer;
  say("The match is over. This is its replay.");
  if (state.promised) await linked();
  else show(state.n);
};

// What positions are called

const table = (n) => {
  const { course, drawing, told } = state;
  const asked = course.steps[n].asked;
  const seat = (k) => (drawing.seat ? drawing.seat(k) : `seat ${k}`);
  return {
    h, svg, heard, count, words, asked, seat,
    view: course.view(n),
    viewOf: (k) => course.viewOf(k, n),
    viewer: state.viewer,
    seats: told.seats,
    seatWithBot: (k) => (told.seats[k].bot ? `${seat(k)}: ${told.seats[k].bot}` : seat(k)),
    components: state.components,
    isOver: n === course.last && asked.length === 0 && course.end !== null,
    name,
    past: (kind) => course.past(kind, n),
  };
};

const name = (id) => state.names.get(id) ?? id;

const findTurns = () => {
  const { course, drawing, turns } = state;
  const from = turns.length ? turns[turns.length - 1].last + 1 : 0;
  for (let n = from; n <= course.last; n += 1) {
    const { key, text } = drawing.turn ? drawing.turn(course.view(n)) : { key: "", text: "The match" };
    const now = turns[turns.length - 1];
    if (now && now.key === key) now.last = n;
    else turns.push({ key, text, first: n, last: n });
  }
  parted.turn.replaceChildren(...turns.map(({ text }, k) => h("option", { value: k }, text)));
  parted.place.max = course.last;
};

const turnAt = (n) => state.turns.findIndex(({ last }) => n <= last);

// Showing

const show = (n) => {
  const { course, drawing } = state;
  state.n = Math.max(0, Math.min(course.last, n));
  const here = table(state.n);
  const open = new Map([...parted.board.querySelectorAll("[data-keep]")].map((each) => [each.dataset.keep, each.open]));
  const focus = document.activeElement.closest("[data-keep]")?.dataset.keep;
  parted.board.replaceChildren(drawing.draw(here));
  for (const each of parted.board.querySelectorAll("[data-keep]")) {
    each.open = open.get(each.dataset.keep) ?? false;
    if (focus === each.dataset.keep) each.querySelector("summary").focus({ preventScroll: true });
  }
  parted.phase.textContent = drawing.phase ? drawing.phase(here) : asking(here);
  parted.summary.textContent = drawing.text ? drawing.text(here) : "";
  parted.place.value = state.n;
  parted.place.setAttribute("aria-valuetext", `step ${state.n} of ${course.last}, ${state.turns[turnAt(state.n)].text}`);
  parted.count.textContent = `${state.n} / ${course.last}`;
  parted.turn.value = turnAt(state.n);
  for (const [button, off] of [[parted.first, state.n === 0], [parted.back, state.n === 0],
    [parted.next, state.n === course.last], [parted.last, state.n === course.last]]) {
    button.setAttribute("aria-disabled", String(off));
  }
  const hash = new URLSearchParams({ viewer: state.viewer, step: state.n });
  if (!live) history.replaceState(null, "", `#${hash}`);
  parted.link.href = `#${hash}`;
  question(here);
  happened(here);
};

const asking = ({ asked, seat, isOver }) => (isOver ? "Over" : `Asked: ${asked.map(seat).join(", ")}`);

const question = (here) => {
  const { course, n } = state;
  const own = course.steps[n].questions || [];
  const parts = [];
  for (const each of own) {
    parts.push(h("h3", {}, `${here.seat(each.seat)}: ${words(each.kind)}`),
      h("p", { class: "quiet small" }, `Decision ${each.decision}, ${count(each.options.length, "option")}. ${spent(each)}`),
      h("ol", { class: "options", start: 0, tabindex: 0, role: "list", "aria-label": "Options" }, each.options.map((number, k) => {
        const text = course.texts[number], shown = course.words[number];
        const taken = k === each.taken;
        return h("li", { class: taken ? "taken" : null, value: k },
          shown, taken ? h("strong", {}, " ✓ taken") : null,
          k === each.default && each.how === "late" && taken ? " by default" : null,
          shown === text ? null : [" ", h("code", { class: "quiet" }, text)]);
      })));
  }
  const others = here.asked.filter((seat) => !own.some((each) => each.seat === seat));
  if (others.length) {
    parts.push(h("p", {}, `${others.map(here.seat).join(", ")} ${others.length > 1 ? "are" : "is"} asked; what is offered is not known to this viewer.`));
  }
  if (here.isOver) parts.push(...result(here));
  parted.question.replaceChildren(...parts);
  const taken = parted.question.querySelector(".taken");
  if (taken) {
    const box = taken.parentElement;
    box.scrollTop = taken.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
};

const HOW = { late: "Too late: the default was taken.", played_on: "Played on after a fault: nobody was asked.",
  standing_order: "By standing order." };

const spent = ({ how, bank_ms: bank, charged_ms: charged, left_ms: left }) => {
  const clocks = charged === undefined ? `Bank ${clock(bank)}.`
    : `Charged ${clock(charged)}; bank ${clock(bank)}, then ${clock(left)}.`;
  return HOW[how] ? `${HOW[how]} ${clocks}` : clocks;
};

const result = ({ seats, seatWithBot }) => {
  const end = state.course.end;
  if (!end) return [h("p", {}, "The game is over.")];
  const line = (k) => {
    const parts = [end.ranks.length ? `rank ${end.ranks[k]}` : "", end.scores.length ? `score ${end.scores[k]}` : "", end.faults[k] || ""];
    return h("li", {}, `${seatWithBot(k)}: ${parts.filter(Boolean).join(", ")}`);
  };
  const words = root.dataset.words || end.reason;
  return [h("h3", {}, `The end: ${end.ending}`), h("p", {}, words), h("ul", {}, seats.map((_, k) => line(k)))];
};

/* What happened in this turn up to here, the last first. */
const happened = (here) => {
  const { course, n, turns } = state;
  const { first } = turns[turnAt(n)];
  const rows = [];
  for (let k = n; k >= first && rows.length < 200; k -= 1) {
    const lines = [
      ...course.answersAt(k).map((each) => h("span", { class: "answer" },
        `${here.seat(each.seat)} (${words(each.kind)}): ${course.words[each.options[each.taken]]}`)),
      ...course.eventsAt(k).map(([, , text]) => h("span", {}, text)),
    ];
    if (!lines.length) continue;
    rows.push(h("li", { "aria-current": k === n ? "step" : null },
      h("a", { href: `#${new URLSearchParams({ viewer: state.viewer, step: k })}`, "aria-label": `Step ${k}` }, String(k)),
      h("div", {}, lines)));
  }
  parted.happened.replaceChildren(...rows);
  if (!state.playing) {
    const now = course.eventsAt(n).map(([, , text]) => text).join(". ");
    parted.news.textContent = now || "Nothing that this viewer may know.";
  }
};

const say = (text) => parted.status.replaceChildren(text);

// Moving

const go = (n) => {
  play(false);
  show(n);
};

const turnBy = (by) => {
  const at = turnAt(state.n), { first } = state.turns[at];
  if (by < 0 && state.n > first) go(first);
  else go(state.turns[Math.max(0, Math.min(state.turns.length - 1, at + by))].first);
};

const play = (on) => {
  clearInterval(state.timer);
  state.playing = on;
  parted.play.textContent = on ? "Pause" : "Play";
  if (!on) return;
  if (state.n === state.course.last && !live) show(0);
  state.timer = setInterval(() => {
    if (state.n < state.course.last) show(state.n + 1);
    if (state.n === state.course.last && !live) play(false);
  }, 1000 / state.speed);
};

const KEYS = {
  ArrowRight: () => go(state.n + 1),
  ArrowLeft: () => go(state.n - 1),
  Home: () => go(0),
  End: () => go(state.course.last),
  PageDown: () => turnBy(1),
  PageUp: () => turnBy(-1),
  " ": () => play(!state.playing),
};

const keyed = (event) => {
  if (!state.course || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const at = event.target.closest("input, select, textarea, button, summary, a, .scroll, .options");
  if (at && (at.matches("input, select, textarea, .scroll, .options") || event.key === " ")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
};

const watchAs = async (viewer) => {
  play(false);
  const { n, course } = state;
  const publicEvents = course.steps[n].public;
  try {
    await load(viewer, (fresh) => (n === course.last ? fresh.last : fresh.at(publicEvents)));
    say("");
  } catch (fault) {
    parted.viewer.value = state.viewer;
    say(`Not shown: ${fault.message}`);
  }
};

const wanted = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const viewers = root.dataset.viewers.split(" ");
  const step = Number.parseInt(asked.get("step"), 10);
  return {
    viewer: viewers.includes(asked.get("viewer")) ? asked.get("viewer") : viewers[0],
    step: Number.isFinite(step) ? step : 0,
  };
};

const linked = async () => {
  state.promised = false;
  const { viewer, step } = wanted();
  play(false);
  if (viewer === state.viewer) show(step);
  else {
    parted.viewer.value = viewer;
    await load(viewer, () => step).catch((fault) => say(`Not shown: ${fault.message}`));
  }
};

// The page's parts

const button = (text, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);

const parted = {
  viewer: h("select", { onchange: (event) => watchAs(event.target.value) }),
  first: button("|◀", "First step (Home)", () => KEYS.Home()),
  back: button("◀", "Step back (←)", () => KEYS.ArrowLeft()),
  play: h("button", { type: "button", class: "play", onclick: () => KEYS[" "]() }, "Play"),
  next: button("▶", "Step on (→)", () => KEYS.ArrowRight()),
  last: button("▶|", "Last step (End)", () => KEYS.End()),
  speed: h("select", { onchange: (event) => { state.speed = Number(event.target.value); if (state.playing) play(true); } },
    SPEEDS.map((each) => h("option", { value: each, selected: each === 2 }, `${each} a second`))),
  turn: h("select", { onchange: (event) => go(state.turns[Number(event.target.value)].first) }),
  place: h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: (event) => go(Number(event.target.value)) }),
  count: h("output", { class: "quiet" }),
  link: h("a", { href: "#" }, "Link to this position"),
  phase: h("h2", { class: "phase" }),
  summary: h("p", { class: "hidden" }),
  board: h("div", { class: "board" }),
  question: h("div", { class: "question", tabindex: 0, role: "group", "aria-labelledby": "decision" }),
  happened: h("ol", { class: "happened" }),
  news: h("p", { class: "hidden", "aria-live": "polite" }),
  status: h("p", { class: "status", role: "status" }),
};

const laidOut = () => [
  h("div", { class: "controls", role: "group", "aria-label": "Steps" },
    h("label", {}, "Seen by", parted.viewer),
    h("div", { class: "buttons" }, parted.first, parted.back, parted.play, parted.next, parted.last),
    h("label", {}, "Speed", parted.speed),
    h("label", {}, "Turn", parted.turn),
    h("div", { class: "place" }, parted.place, parted.count)),
  parted.status,
  h("div", { class: "watched" },
    h("section", { class: "position", "aria-label": "Position" }, parted.phase, parted.summary, parted.board),
    h("section", { class: "decision", "aria-labelledby": "decision" }, h("h2", { id: "decision" }, "Decision"), parted.question),
    h("section", { class: "events", "aria-labelledby": "events" },
      h("h2", { id: "events" }, "In this turn, the last first"), parted.happened, parted.news)),
  h("p", { class: "quiet small" }, "Keys: ← → one step, Page Up and Page Down one turn, Home and End, space plays. ", parted.link, "."),
];

const named = (viewer) => {
  if (viewer === "all") return "everything";
  if (viewer === "public") return "the public";
  const n = Number(viewer);
  return state.drawing.seat ? state.drawing.seat(n) : `seat ${n}`;
};

const offerViewers = () => {
  const viewers = root.dataset.viewers.split(" ");
  parted.viewer.replaceChildren(...viewers.map((each) => h("option", { value: each }, named(each))));
};

const begin = async () => {
  try {
    const [drawing, components] = await Promise.all([import(path || plain), parts ? get(parts) : null]);
    state.drawing = drawing;
    state.components = components;
    if (drawing.names) state.names = drawing.names(components);
    if (drawing.style && !document.adoptedStyleSheets.length) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(drawing.style);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    offerViewers();
    const { viewer, step } = wanted();
    parted.viewer.value = viewer;
    await load(viewer, (course) => (live ? course.last : step), !live && step < FIRST_STEPS ? FIRST_STEPS : 0);
    root.replaceChildren(...laidOut());
    show(state.n);
    document.addEventListener("keydown", keyed);
    addEventListener("hashchange", linked);
    root.dataset.ready = Math.round(performance.now());
    if (live) {
      state.polling = setInterval(more, POLL_MS);
      waiting();
      if (state.told.over) await more(); // closed since the page was made
    } else if (!state.told.over) {
      await rest();
    }
  } catch (fault) {
    const when = live ? "cannot be shown yet" : "cannot be shown";
    const text = `This match ${when}: ${fault.message}`;
    if (root.textContent !== text) {
      root.replaceChildren(h("p", { class: live ? "note" : "note bad", role: "alert" }, text));
    }
    if (live) setTimeout(again, AGAIN_MS);
  }
};

/* A match that could not be shown, because it was not opened yet: look whether it can. */
const again = async () => {
  try {
    if (!document.hidden && !(await pageNow()).getElementById("viewer")?.dataset.live) {
      location.reload(); // it was closed meanwhile
      return;
    }
  } catch { /* the next look says why */ }
  if (document.hidden) setTimeout(again, AGAIN_MS);
  else await begin();
};

const waiting = () => {
  const { wait_ms: wait, delay_ms: delay } = state.told;
  if (wait) say(`What is shown is ${count(Math.round(delay / 1000), "second")} old; the next comes within ${count(Math.ceil(wait / 1000), "second")}.`);
  else if (delay) say(`What is shown is ${count(Math.round(delay / 1000), "second")} old.`);
};

begin();
