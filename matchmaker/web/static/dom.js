/* Elements and texts; whatever text is put in stays text. */

export const h = (tag, given = {}, ...children) => filled(document.createElement(tag), given, children);

export const svg = (tag, given = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), given, children);

const filled = (element, given, children) => {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
  return element;
};

/* Text for those who hear the page. */
export const heard = (text) => h("span", { class: "hidden" }, text);

/* "3 Rations", "1 Ration". */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/* "HillFought" → "hill fought"; "deck_size" → "deck size"; "ON_MOVE" → "on move". */
export const words = (name) =>
  name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ").replaceAll("_", " ").toLowerCase();

export const clock = (ms) => {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
};
