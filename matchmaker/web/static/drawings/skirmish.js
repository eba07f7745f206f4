/* Skirmish on the table: hills in a row, and for each seat its card, dice, hand and score. */

export const names = () => new Map();

export const turn = (view) => ({
  key: `${view.round}`,
  text: view.round ? `Round ${view.round}, hill ${view.hills[view.round - 1]}` : "Set-up",
});

export const phase = ({ view, asked, isOver, seat }) => {
  const where = `Round ${view.round} of ${view.rounds}, for the hill of ${view.hills[view.round - 1]}`;
  if (isOver) return `${where}: over`;
  const step = view.shown.some(Boolean) ? "support" : "name a card in secret";
  return `${where}: ${step}. Asked: ${asked.map(seat).join(", ")}`;
};

const DIE = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

const strength = (view, seat) => view.shown[seat] + view.dice[seat].reduce((sum, die) => sum + die, 0);

const score = (view, seat) =>
  view.taken.reduce((sum, taken, n) => sum + (n === seat || (view.teams && (n + seat) % 2 === 0) ? taken : 0), 0);

export const draw = (table) => {
  const { h, view, seats } = table;
  const fought = table.past("HillFought");
  return h("div", { class: "sk" },
    h("ol", { class: "sk-hills", "aria-label": "Hills in the order of the row" },
      view.hills.map((value, n) => hill(table, value, n, fought[n]))),
    h("div", { class: "sk-seats" }, seats.map((_, seat) => place(table, seat))),
    h("p", { class: "quiet" },
      `Deck: ${table.count(view.deck_size, "card")}. `,
      view.gone.length ? `Out of play: ${view.gone.join(", ")}.` : "Nothing is out of play yet."));
};

const hill = (table, value, n, fought) => {
  const { h, svg, view, seat, isOver } = table;
  const now = n === view.round - 1 && !fought;
  const state = n >= view.rounds ? "not fought for"
    : fought ? (fought.seat < 0 ? "taken by nobody" : `taken by ${seat(fought.seat)}`)
      : now && !isOver ? "fought for now" : "to come";
  const top = 52 - value * 8;
  return h("li", { class: `sk-hill${now ? " now" : ""}${fought ? ` taken seat${fought.seat}` : ""}` },
    svg("svg", { viewBox: "0 0 80 62", "aria-hidden": "true" },
      svg("path", { d: `M2 60 C 18 60 26 ${top} 40 ${top} S 62 60 78 60 Z` }),
      svg("text", { x: 40, y: 56, "text-anchor": "middle" }, String(value))),
    h("span", { class: "sk-state" }, table.heard(`Hill of ${value}: `), state));
};

const place = (table, n) => {
  const { h, view, seat, asked } = table;
  const own = table.viewOf(n);
  const shown = view.shown[n];
  const best = Math.max(...view.shown.map((_, other) => strength(view, other)));
  const leads = shown > 0 && strength(view, n) === best;
  return h("section", { class: `sk-seat seat${n}${asked.includes(n) ? " asked" : ""}` },
    h("h3", {}, table.seatWithBot(n), asked.includes(n) ? h("span", { class: "tag" }, "asked") : null),
    h("p", { class: "sk-score" }, table.count(score(view, n), "point"), view.teams ? " (team)" : ""),
    h("div", { class: "sk-shown" },
      shown ? h("span", { class: "vcard big" }, table.heard("Shows "), String(shown))
        : h("span", { class: "vcard big none" }, table.heard("Shows "), "–"),
      view.dice[n].map((die) => face(table, die)),
      shown ? h("span", { class: `sk-sum${leads ? " leads" : ""}` }, `strength ${strength(view, n)}`) : null),
    own
      ? h("ul", { class: "vcards", "aria-label": `Hand of ${seat(n)}` },
        own.hand.map((card) => h("li", { class: "vcard" }, String(card))))
      : h("p", { class: "vcards quiet" },
        Array.from({ length: view.hand_sizes[n] }, () => h("span", { class: "vcard back", "aria-hidden": "true" })),
        ` ${table.count(view.hand_sizes[n], "hidden card")}`));
};

const face = ({ svg }, die) =>
  svg("svg", { class: "sk-die", viewBox: "0 0 30 30", role: "img", "aria-label": `die ${die}` },
    svg("rect", { x: 1, y: 1, width: 28, height: 28, rx: 5 }),
    DIE[die].map((spot) =>
      svg("circle", { cx: 7 + 8 * (spot % 3), cy: 7 + 8 * Math.floor(spot / 3), r: 2.6 })));

export const text = ({ view, seat, seats }) =>
  seats.map((_, n) => {
    const shown = view.shown[n] ? `shows ${view.shown[n]}, strength ${strength(view, n)}` : "shows nothing";
    return `${seat(n)}: score ${score(view, n)}, ${shown}, ${view.hand_sizes[n]} in hand`;
  }).join(". ");

export const style = `
.sk-hills { list-style: none; margin: 0 0 1rem; padding: 0; display: grid; gap: 0.5rem;
  grid-template-columns: repeat(5, minmax(0, 1fr)); }
.sk-hill { text-align: center; font-size: 0.85rem; color: var(--quiet); border-radius: 6px; padding: 0.2rem; }
.sk-hill svg { display: block; width: 100%; max-height: 6rem; }
.sk-hill path { fill: var(--raised); stroke: var(--quiet); stroke-width: 1.5; }
.sk-hill text { fill: var(--ink); font-size: 19px; font-weight: 700; paint-order: stroke;
  stroke: var(--ground); stroke-width: 4px; }
.sk-hill.now { background: var(--raised); outline: 2px solid var(--mark); color: var(--ink); }
.sk-hill.now path { stroke: var(--mark); stroke-width: 3; }
.sk-seat, .sk-hill { --seat: var(--quiet); }
.seat0 { --seat: #2f6fd0; } .seat1 { --seat: #c2452d; } .seat2 { --seat: #2e8b57; } .seat3 { --seat: #9a6a00; }
.sk-hill.taken path { fill: var(--seat); fill-opacity: 0.35; stroke: var(--seat); }
.sk-seats { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.7rem; }
.sk-seat { border: 1px solid var(--line); border-top: 5px solid var(--seat); border-radius: 6px;
  padding: 0.4rem 0.8rem 0.7rem; }
.sk-seat.asked { outline: 2px solid var(--mark); }
.sk-seat h3 { margin: 0.2rem 0; display: flex; gap: 0.5rem; align-items: center; }
.sk-score { font-size: 1.1rem; font-weight: 600; margin: 0.1rem 0 0.4rem; }
.sk-shown { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; min-height: 3.4rem; margin-bottom: 0.5rem; }
.sk-die { width: 2.1rem; height: 2.1rem; }
.sk-die rect { fill: var(--ground); stroke: var(--ink); stroke-width: 1.5; }
.sk-die circle { fill: var(--ink); }
.sk-sum { font-weight: 600; color: var(--quiet); } .sk-sum.leads { color: var(--good); }
`;
