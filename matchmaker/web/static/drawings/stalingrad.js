/* Battle for Stalingrad on the table: five Locations, both sides' areas, Forces, cards, the battle. */

const SIDES = ["Russian", "German"];
const CLASS = ["russian", "german"];

export const seat = (n) => SIDES[n];

export const names = (components) => {
  const known = new Map([["seat 0", SIDES[0]], ["seat 1", SIDES[1]]]);
  for (const each of components?.locations ?? []) {
    known.set(each.id, each.name);
    known.set(`${each.id}.C`, `${each.name}, Control`);
    known.set(`${each.id}.P`, `${each.name}, Perimeter`);
  }
  for (const each of components?.forces ?? []) known.set(each.id, each.name);
  for (const each of components?.cards ?? []) known.set(each.id, each.name);
  return known;
};

export const turn = (view) => view.round === 0
  ? { key: "0", text: "Set-up" }
  : { key: `${view.round}.${view.acting}`, text: `Round ${view.round}, ${SIDES[view.acting]} turn` };

export const phase = ({ view, asked, isOver, words }) => {
  const where = view.round === 0 ? "Set-up"
    : `Round ${view.round} of ${view.config.max_rounds}, ${SIDES[view.acting]} turn, ${view.step}`;
  if (isOver || !asked.length) return `${where}: over`;
  const left = view.left ? `, ${view.left} left` : "";
  return `${where}. ${SIDES[asked[0]]} is asked: ${words(view.kind)}${left}`;
};

/* Facts of the component files, by id; a transcribed set is not here, then ids stand for names. */
const facts = (table, kind, id) => table.components?.[kind].find((each) => each.id === id);

const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");

const card = (table, { card: id, ff }) => `${table.name(id)} ${signed(ff)}`;

const list = (table, ids) => ids.map(table.name).join(", ");

const sideOf = (table, force) => {
  const laid = table.past("BoardLaid")[0];
  return laid && laid.german_forces.includes(force) ? 1 : 0;
};

export const draw = (table) => {
  const { h, view } = table;
  return h("div", { class: "sg" },
    h("p", { class: "sg-legend quiet", "aria-hidden": "true" }, "◆ Combat   ● Rations   ★ Heroic Service   ■ Rubble"),
    h("div", { class: "sg-line" }, view.locations.map((id, n) => place(table, id, n))),
    doing(table),
    h("div", { class: "sg-sides" }, side(table, 1), side(table, 0)));
};

// The board

const place = (table, id, n) => {
  const { h, view } = table;
  const known = facts(table, "locations", id);
  const battle = view.battle?.location === id || view.absorb?.location === id;
  const heading = `sg-${id}`;
  return h("section", { class: `sg-place${battle ? " battle" : ""}`, "aria-labelledby": heading },
    area(table, 1, `${id}.P`),
    area(table, 1, `${id}.C`),
    h("div", { class: `sg-location ${CLASS[view.control[n]] ?? "nobody"}${view.destroyed[n] ? " destroyed" : ""}` },
      h("h3", { id: heading }, table.name(id), " ", h("code", {}, id)),
      h("p", {}, h("strong", {}, view.control[n] < 0 ? "Uncontrolled" : `${SIDES[view.control[n]]} Control`)),
      h("p", {}, view.destroyed[n] ? h("strong", {}, "Destroyed, yields 0") : rubble(table, view.rubble[n], known)),
      known?.note ? h("p", { class: "quiet" }, note(table, known)) : null),
    area(table, 0, `${id}.C`),
    area(table, 0, `${id}.P`));
};

const rubble = ({ h, heard }, now, known) => {
  if (!known) return `Rubble ${now}`;
  const yields = known.chart.find(([most]) => now <= most)?.[1] ?? 0;
  return [
    h("span", { class: "sg-rubble", "aria-hidden": "true" },
      Array.from({ length: known.destroyed_at }, (_, k) => (k < now ? "■" : "□")).join("")),
    heard(`Rubble ${now}, destroyed at ${known.destroyed_at}; `),
    ` yields ${yields}`,
  ];
};

const note = (table, { note: { key, card: id, param, add }, note_kept: kept }) => {
  const what = key === "card" ? `${table.name(id)}: ${table.words(param)}` : table.words(key);
  return `${what} ${signed(add)}${kept ? ", kept" : ""}`;
};

const area = (table, of, id) => {
  const { h, view } = table;
  const here = view.forces
    .map((force, n) => ({ force, n }))
    .filter(({ force, n }) => view.areas[n] === id && sideOf(table, force) === of);
  const what = id.endsWith(".C") ? "Control" : "Perimeter";
  return h("div", { class: `sg-area ${CLASS[of]} ${what.toLowerCase()}` },
    h("h4", {}, table.heard(`${SIDES[of]} `), what, " ",
      h("span", { class: "quiet" }, `${here.length}/${view.config.area_capacity}`)),
    here.length ? h("ul", {}, here.map(({ n }) => force(table, n)))
      : null);
};

const force = (table, n) => {
  const { h, view, heard } = table;
  const id = view.forces[n];
  const known = facts(table, "forces", id);
  const medals = view.medals[n];
  return h("li", { class: `sg-force${inBattle(view, id) ? " fights" : ""}` },
    h("strong", {}, table.name(id)),
    h("span", { class: "sg-stats" },
      known ? h("span", {}, h("span", { "aria-hidden": "true" }, "◆"), heard("Combat "), String(known.combat + medals)) : null,
      h("span", { class: "rations" }, h("span", { "aria-hidden": "true" }, "●"), heard("Rations "), String(view.rations[n])),
      medals ? h("span", { class: "medals" }, h("span", { "aria-hidden": "true" }, "★"), heard("Heroic Service "), String(medals)) : null),
    [...specials(known), ...flags(view, id, n)].map(([word, warns]) =>
      h("span", { class: `sg-flag${warns ? " warns" : ""}` }, word)));
};

const SPECIALS = { attack_bonus: "attack", retreat_extra: "retreat", ignore: "ignore", free_move: "free Moves" };

const specials = (known) =>
  (known?.specials ?? []).map(({ key, n }) => [
    key === "free_move" ? SPECIALS[key] : `${SPECIALS[key] ?? key} ${key === "ignore" ? n : signed(n)}`,
  ]);

const inBattle = ({ battle }, id) =>
  Boolean(battle && (battle.participants.includes(id) || battle.defenders.includes(id)));

const flags = (view, id, n) => {
  const found = [];
  const { battle, absorb, move } = view;
  if (battle?.participants.includes(id)) found.push(["attacks", true]);
  if (battle?.defenders.includes(id)) found.push(["defends", true]);
  if (battle?.doubled.includes(id)) found.push(["doubled", true]);
  if (absorb?.forces.includes(id)) {
    const ignore = absorb.ignore[absorb.forces.indexOf(id)];
    found.push([ignore ? `takes Hits, ignores ${ignore}` : "takes Hits", true]);
  }
  if (move?.force === id) found.push([move.cancelled ? "Move cancelled" : "moves", true]);
  if (view.no_move[n]) found.push(["may not move", true]);
  if (view.free_moves_used[n]) found.push([`${view.free_moves_used[n]} free Moves used`]);
  return found;
};

// What is going on

const doing = (table) => {
  const { h, view } = table;
  const parts = [];
  if (view.move) {
    const { seat: who, force: id, area: to, cancelled } = view.move;
    parts.push(h("p", {}, `${SIDES[who]} Move: ${table.name(id)} to ${table.name(to)}${cancelled ? ", cancelled" : ""}`));
  }
  if (view.battle) parts.push(fight(table, view.battle));
  if (view.absorb) {
    const { seat: who, hits, location } = view.absorb;
    parts.push(h("p", {}, h("strong", {}, `${SIDES[who]} absorbs: ${table.count(hits, "Hit")} left`), ` at ${table.name(location)}`));
  }
  if (view.playing.length) {
    parts.push(h("p", {}, "Cards being played, the last first: ",
      view.playing.map((each) => `${SIDES[each.seat]} ${card(table, each.card)}`
        + `${each.targets.length ? ` on ${list(table, each.targets)}` : ""}${each.cancelled ? " (cancelled)" : ""}`)
        .reverse().join("; ")));
  }
  return parts.length ? h("section", { class: "sg-doing", "aria-label": "Under way" }, parts) : null;
};

const fight = (table, battle) => {
  const { h } = table;
  const by = [battle.attacker, 1 - battle.attacker];
  const fighters = [battle.participants, battle.defenders];
  const more = [
    battle.no_firefight && "no Firefight",
    ...[0, 1].filter((n) => battle.no_retreat[n]).map((n) => `${SIDES[n]} may not retreat`),
    battle.lost.length && `lost: ${list(table, battle.lost)}`,
  ].filter(Boolean);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Battle" }, h("table", {},
    h("caption", {}, `Battle for ${table.name(battle.location)}${more.length ? `: ${more.join("; ")}` : ""}`),
    h("thead", {}, h("tr", {}, ["Side", "Forces", "Combat", "Firefight", "Hits"].map((name, k) =>
      h("th", { scope: "col", class: k > 1 ? "n" : null }, name)))),
    h("tbody", {}, by.map((who, k) => h("tr", {},
      h("th", { scope: "row" }, `${SIDES[who]} ${k ? "defends" : "attacks"}`),
      h("td", { class: "wrap" }, fighters[k].length ? list(table, fighters[k]) : "–"),
      h("td", { class: "n" }, String(battle.base[who])),
      h("td", { class: "n" }, signed(battle.fire[who])),
      h("td", { class: "n" }, `${battle.hits[who]}${battle.extra_hits[who] ? ` (${signed(battle.extra_hits[who])} extra)` : ""}`))))));
};

// The sides

const side = (table, n) => {
  const { h, view, asked } = table;
  const acts = view.acting === n && view.round > 0;
  const own = table.viewOf(n);
  const top = view.force_deck_tops[n];
  const peeked = view.peeked_sizes[n];
  const points = acts && view.buy_points ? [`${view.buy_points} points to buy with`] : [];
  const adds = view.combat_add[n] ? [`Combat ${signed(view.combat_add[n])} in this turn`] : [];
  return h("section", { class: `sg-side ${CLASS[n]}` },
    h("h3", {}, table.seatWithBot(n),
      acts ? h("span", { class: "tag" }, "acting") : null,
      asked.includes(n) ? h("span", { class: "tag warn" }, "asked") : null),
    h("p", {}, [
      `Hand ${view.hand_sizes[n]}`, `Action deck ${view.deck_sizes[n]}`, `discards ${view.discards[n].length}`,
      `Force deck ${view.force_decks[n].length}`, ...points, ...adds,
    ].join(" · ")),
    h("h4", {}, "Hand"),
    own ? cards(table, own.hand, `${SIDES[n]} hand`) : hidden(table, n),
    pile(table, "On the table", view.table[n]),
    pile(table, "In play", view.in_play[n]),
    peeked ? pile(table, `Knows the top of its deck: ${peeked}`, own ? own.peeked : []) : null,
    h("p", {}, "Force deck: ", top ? [h("strong", {}, table.name(top)), ` on top${price(table, top)}`] : "no card on top"),
    kept(table, `force${n}`, `Forces in the deck (${view.force_decks[n].length})`,
      h("p", {}, list(table, view.force_decks[n]) || "none",
        view.force_deck_bottoms[n].length ? `; at the bottom ${list(table, view.force_deck_bottoms[n])}` : "")),
    kept(table, `discards${n}`, `Discard pile (${view.discards[n].length}), newest first`,
      cards(table, view.discards[n].slice().reverse(), `${SIDES[n]} discard pile`, false)),
    kept(table, `unseen${n}`, own ? `In the Action deck (${view.deck_sizes[n]})` : `Unseen: deck and hand (${(own ?? view).unseen[n].length})`,
      cards(table, (own ?? view).unseen[n], `${SIDES[n]} unseen cards`)));
};

const price = (table, id) => {
  const known = facts(table, "forces", id);
  return known ? `, costs ${known.cost}, Combat ${known.combat}, Rations ${known.rations}` : "";
};

const hidden = (table, n) => {
  const { h, view } = table;
  const known = view.known_hands[n];
  return [
    h("p", { class: "vcards" },
      Array.from({ length: view.hand_sizes[n] }, () => h("span", { class: "vcard back", "aria-hidden": "true" })),
      h("span", { class: "quiet" }, ` ${table.count(view.hand_sizes[n], "hidden card")}`)),
    known.length ? pile(table, "Everybody knows of it", known) : null,
  ];
};

const pile = (table, title, kinds) =>
  kinds.length ? [table.h("h4", {}, title), cards(table, kinds, title, false)] : null;

/* Equal cards together, as no hand and no deck has an order; piles have one. */
const cards = (table, kinds, label, together = true) => {
  const { h } = table;
  if (!kinds.length) return h("p", { class: "quiet" }, "none");
  const rows = [];
  for (const kind of kinds) {
    const last = rows[rows.length - 1];
    if (together && last && last.kind.card === kind.card && last.kind.ff === kind.ff) last.n += 1;
    else rows.push({ kind, n: 1 });
  }
  return h("ul", { class: "vcards", "aria-label": label }, rows.map(({ kind, n }) =>
    h("li", { class: "vcard" }, table.name(kind.card), " ",
      h("strong", { class: kind.ff > 0 ? "up" : kind.ff < 0 ? "down" : null }, signed(kind.ff)),
      n > 1 ? ` ×${n}` : "")));
};

const kept = ({ h }, key, title, ...inner) =>
  h("details", { "data-keep": key }, h("summary", {}, title), inner);

export const text = (table) => {
  const { view } = table;
  return view.locations.map((id, n) => {
    const who = view.control[n] < 0 ? "uncontrolled" : `${SIDES[view.control[n]]} Control`;
    const here = view.forces.filter((_, k) => view.areas[k].startsWith(`${id}.`));
    return `${table.name(id)}: ${who}, ${view.destroyed[n] ? "destroyed" : `Rubble ${view.rubble[n]}`}, ${table.count(here.length, "Force")}`;
  }).join(". ");
};

export const style = `
.sg { --russian: #b3352a; --german: #4a6076; --russian-ground: #fbeeec; --german-ground: #eef2f5; }
@media (prefers-color-scheme: dark) {
  .sg { --russian: #ff8d80; --german: #a9c1d9; --russian-ground: #2c1917; --german-ground: #1a242d; }
}
.sg h3, .sg h4, .sg p { margin: 0; }
.sg-legend { font-size: 0.85rem; white-space: pre-wrap; }
.sg-line { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 0.5rem; margin: 0.4rem 0 0.8rem; }
.sg-place { display: grid; grid-template-rows: 1fr 1fr auto 1fr 1fr; border: 1px solid var(--line); border-radius: 8px;
  overflow: hidden; font-size: 0.85rem; line-height: 1.35; grid-row: span 5; }
@supports (grid-template-rows: subgrid) { .sg-place { grid-template-rows: subgrid; } .sg-line { row-gap: 0; } }
.sg-place.battle { outline: 3px solid var(--warn); }
.sg-area { padding: 0.3rem 0.4rem; min-height: 3.6rem; }
.sg-area h4 { font-size: 0.75rem; font-weight: 600; display: flex; justify-content: space-between; }
.sg-area.german { background: var(--german-ground); } .sg-area.russian { background: var(--russian-ground); }
.sg-area.german h4 { color: var(--german); } .sg-area.russian h4 { color: var(--russian); }
.sg-area.german.control { border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); }
.sg-area.russian.control { border-top: 1px solid var(--line); border-bottom: 1px dashed var(--line); }
.sg-area ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.25rem; }
.sg-location { padding: 0.4rem 0.5rem; background: var(--raised); border-left: 6px solid var(--line); }
.sg-location.russian { border-left-color: var(--russian); } .sg-location.german { border-left-color: var(--german); }
.sg-location.destroyed h3 { text-decoration: line-through; }
.sg-location h3 { font-size: 0.95rem; line-height: 1.25; }
.sg-location h3 code { font-weight: 400; color: var(--quiet); }
.sg-rubble { letter-spacing: 0.08em; overflow-wrap: anywhere; }
.sg-force { background: var(--ground); border: 1px solid var(--line); border-radius: 5px; padding: 0.15rem 0.35rem;
  display: flex; flex-wrap: wrap; gap: 0 0.45rem; align-items: baseline; }
.sg-force.fights { border-color: var(--warn); box-shadow: inset 3px 0 0 var(--warn); }
.sg-stats { display: inline-flex; gap: 0.45rem; font-variant-numeric: tabular-nums; font-weight: 600; }
.sg-stats .rations { color: var(--good); } .sg-stats .medals { color: var(--warn); }
.sg-flag { color: var(--quiet); font-size: 0.78rem; } .sg-flag.warns { color: var(--warn); font-weight: 600; }
.sg-doing { border-left: 4px solid var(--warn); padding: 0.2rem 0.8rem; margin: 0 0 0.8rem; }
.sg-sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.7rem; }
.sg-side { border: 1px solid var(--line); border-top-width: 5px; border-radius: 6px; padding: 0.5rem 0.8rem; font-size: 0.9rem; }
.sg-side.russian { border-top-color: var(--russian); } .sg-side.german { border-top-color: var(--german); }
.sg-side h3 { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; overflow-wrap: anywhere; }
.sg-side h4 { margin-top: 0.4rem; font-size: 0.82rem; color: var(--quiet); }
.sg-side details { margin: 0.2rem 0; }
@media (max-width: 52rem) {
  .sg-line { grid-template-columns: 1fr; row-gap: 0.7rem; }
  .sg-place { grid-template: "gp gc" auto "l l" auto "rp rc" auto / 1fr 1fr; grid-row: auto; }
  .sg-area.german.perimeter { grid-area: gp; } .sg-area.german.control { grid-area: gc; border-top: 0; }
  .sg-location { grid-area: l; }
  .sg-area.russian.perimeter { grid-area: rp; } .sg-area.russian.control { grid-area: rc; border-bottom: 0; }
  .sg-area { min-height: 2.2rem; }
}
`;
