/** What the environment and the flags say; flags go first. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { type ChannelCredentials, type ChannelOptions, credentials } from "@grpc/grpc-js";

import { RefereeClient } from "./stubs/warladder/v1/referee.js";

const USAGE = `\
A bot for Battle for Stalingrad.

  --referee ADDRESS  to dial, else WARLADDER_REFEREE, else localhost:7700
  --token TOKEN      who we are, else WARLADDER_TOKEN
  --seed TEXT        of the bot's own chance, else WARLADDER_SEED
  --max-matches N    how many at once, else 1
  --instance WORD    tells running copies apart
`;

export class Settings<Bot extends string> {
  constructor(
    readonly bot: Bot,
    readonly referee: string,
    readonly token: string,
    /** Of the bot's own chance. */
    readonly seed: string,
    readonly maxMatches: number,
    readonly instance: string,
    private readonly trust: ChannelCredentials,
  ) {}

  /** A line to a referee. */
  dial(referee: string, options: ChannelOptions): RefereeClient {
    return new RefereeClient(referee, this.trust, options);
  }
}

/**
 * TLS if `WARLADDER_TLS_CA` names whom to trust.
 *
 * `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
 * certificate of the bot. All three are PEM files.
 */
function trusted(): ChannelCredentials {
  const names = ["WARLADDER_TLS_CA", "WARLADDER_TLS_KEY", "WARLADDER_TLS_CERTIFICATE"];
  const files = names.map((name) => process.env[name]);
  if (!files[0]) {
    return credentials.createInsecure();
  }
  const [authority, key, certificate] = files.map((file) => (file ? readFileSync(file) : null));
  return credentials.createSsl(authority, key, certificate);
}

/** Ends the program with a line on what is wrong, and exit code 2. */
export function readSettings<Bot extends string>(bots: Record<Bot, unknown>): Settings<Bot> {
  const env = process.env;
  const names = Object.keys(bots).join(", ");
  const { values, positionals } = attempt("", () =>
    parseArgs({
      allowPositionals: true,
      options: {
        referee: { type: "string", default: env["WARLADDER_REFEREE"] || "localhost:7700" },
        token: { type: "string", default: env["WARLADDER_TOKEN"] ?? "" },
        seed: { type: "string", default: env["WARLADDER_SEED"] || randomBytes(8).toString("hex") },
        "max-matches": { type: "string", default: "1" },
        instance: { type: "string", default: "" },
        help: { type: "boolean", short: "h" },
      },
    }),
  );
  if (values.help) {
    console.log(`usage: bot [flags] ${names.replaceAll(", ", "|")}\n\n${USAGE}`);
    process.exit(0);
  }
  const [bot, ...more] = positionals;
  if (!isOneOf(bots, bot) || more.length > 0) {
    return refuse(`which bot? give one of ${names}`);
  }
  if (!/^[ -~]+$/.test(values.token)) {
    return refuse("no token: set WARLADDER_TOKEN to what `warladder bot add` printed");
  }
  const maxMatches = Number(values["max-matches"]);
  if (!Number.isInteger(maxMatches) || maxMatches < 1 || maxMatches > 1000) {
    return refuse("--max-matches takes a whole number from 1 to 1000");
  }
  const trust = attempt("WARLADDER_TLS_…: ", trusted);
  const { referee, token, seed, instance } = values;
  return new Settings(bot, referee, token, seed, maxMatches, instance, trust);
}

function isOneOf<Bot extends string>(bots: Record<Bot, unknown>, name?: string): name is Bot {
  return name !== undefined && Object.hasOwn(bots, name);
}

function attempt<Result>(about: string, action: () => Result): Result {
  try {
    return action();
  } catch (fault) {
    return refuse(about + (fault instanceof Error ? fault.message : String(fault)));
  }
}

function refuse(line: string): never {
  console.error(`bot: error: ${line}`);
  process.exit(2);
}
