/* For a game without a drawing of its own: every field of the view, as text. */

export const draw = ({ h, view, words }) =>
  h("dl", { class: "facts" }, Object.entries(view).flatMap(([name, value]) => [
    h("dt", {}, words(name)),
    h("dd", {}, written(value)),
  ]));

const written = (value) => {
  if (value === null || value === "") return "–";
  if (Array.isArray(value)) return value.length ? value.map(inner).join(" · ") : "none";
  return inner(value);
};

const inner = (value) => {
  if (value === null || value === "") return "–";
  if (Array.isArray(value)) return `(${value.map(inner).join(", ")})`;
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${name} ${inner(each)}`).join(", ");
  return String(value);
};
