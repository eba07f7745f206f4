/** Runs one of the bots: `./bot greedy`, `./bot random`. */

import { Attendance, type Choose } from "./attend.js";
import { pick } from "./chance.js";
import { choose as greedy } from "./greedy.js";
import { readSettings } from "./settings.js";

/** Any option, each as likely as the others. */
const random: Choose = (asked, _seat, seed) =>
  pick(seed, asked.match, asked.decision, asked.options.length);

const BOTS = { greedy, random };

const chosen = readSettings(BOTS);
const attendance = new Attendance(chosen, BOTS[chosen.bot]);

process.on("SIGTERM", () => process.exit(0));
process.on("SIGINT", () => {
  if (!attendance.leave()) {
    process.exit(130);
  }
});

process.exit(await attendance.run());
