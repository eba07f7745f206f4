/* Brings the live part of a page up to date when the server says that something is new.
   The page of one match follows that match until it is closed: then it is what it stays.
   Pages work without this file. What is put in comes from the same page, already escaped. */
"use strict";
(() => {
  const part = () => document.getElementById("live");
  const source = part() && part().dataset.events;
  if (!source || !("EventSource" in window)) return;
  const EVERY_MS = 2000;
  const STATE_MS = 10000; // for a match that is opened, of which no news tells
  const FULL = 20; // matches in one piece of news; there may have been more
  const match = part().dataset.match;
  let paused = false, wanted = false, busy = false, last = 0;

  const button = document.createElement("button");
  const label = () => { button.textContent = paused ? "Resume live updates" : "Pause live updates"; };
  button.type = "button";
  button.className = "live-button";
  button.addEventListener("click", () => { paused = !paused; label(); soon(); });
  label();
  part().before(button);

  const refresh = async () => {
    busy = true;
    wanted = false;
    last = Date.now();
    try {
      const answer = await fetch(location.href, { cache: "no-cache", headers: { Accept: "text/html", "Cache-Control": "no-cache" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (!fresh) return;
      const at = document.activeElement;
      const href = at && part().contains(at) ? at.getAttribute("href") || at.id : null;
      const places = [...part().querySelectorAll(".scroll")].map((each) => each.scrollLeft);
      part().replaceWith(document.importNode(fresh, true));
      document.title = page.title;
      if (match && !part().dataset.match) closed();
      part().querySelectorAll(".scroll").forEach((each, n) => { each.scrollLeft = places[n] || 0; });
      if (href) {
        const again = [...part().querySelectorAll("a, [id]")]
          .find((each) => each.getAttribute("href") === href || each.id === href);
        if (again) again.focus({ preventScroll: true });
      }
    } catch {
      /* The next event asks again. */
    } finally {
      busy = false;
      if (wanted) soon();
    }
  };
  const soon = () => {
    if (!wanted || paused || busy || document.hidden) return;
    busy = true;
    setTimeout(refresh, Math.max(0, last + EVERY_MS - Date.now()));
  };
  const closed = () => {
    stream.close();
    button.remove();
    wanted = false;
  };
  const news = (event) => {
    const { game, position, matches = [] } = JSON.parse(event.data);
    if (match && matches.length < FULL && !matches.some((each) => each.match === match)
      && Date.now() - last < STATE_MS) return;
    const shown = part().querySelector(`[data-game="${CSS.escape(game)}"]`);
    if (event.type === "table" && shown && Number(shown.dataset.position) >= position) return;
    wanted = true;
    soon();
  };
  const stream = new EventSource(source);
  stream.addEventListener("table", news);
  stream.addEventListener("matches", news);
  if (match) {
    stream.addEventListener("open", () => { // what was told meanwhile, nobody heard
      wanted = true;
      soon();
    });
  }
  document.addEventListener("visibilitychange", soon);
  addEventListener("pagehide", () => stream.close());
})();
