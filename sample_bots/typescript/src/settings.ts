/** What the environment and the flags say; flags go first. */

import { X509Certificate, createPrivateKey, randomBytes } from "node:crypto";
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
 * certificate of the bot. All three are PEM files, and looked at here: what is wrong with them
 * would be found only when the bot dials, and it would dial again.
 */
function trusted(): ChannelCredentials {
  const env = process.env;
  const [ca, own] = [env["WARLADDER_TLS_CA"], env["WARLADDER_TLS_CERTIFICATE"]];
  const key = env["WARLADDER_TLS_KEY"];
  if (!ca) {
    return credentials.createInsecure();
  }
  if (!own !== !key) {
    return refuse("WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY go together: set both");
  }
  const authority = pem("WARLADDER_TLS_CA", ca);
  attempt(`WARLADDER_TLS_CA: ${ca}: no certificate in PEM: `, () => new X509Certificate(authority));
  if (!own || !key) {
    return credentials.createSsl(authority);
  }
  const [chain, secret] = [pem("WARLADDER_TLS_CERTIFICATE", own), pem("WARLADDER_TLS_KEY", key)];
  const certificate = attempt(
    `WARLADDER_TLS_CERTIFICATE: ${own}: no certificate in PEM: `,
    () => new X509Certificate(chain),
  );
  const opened = attempt(
    `WARLADDER_TLS_KEY: ${key}: no private key in PEM without a password;` +
      ` \`openssl pkcs8 -topk8 -nocrypt -in ${key}\` makes one: `,
    () => createPrivateKey(secret),
  );
  if (!certificate.checkPrivateKey(opened)) {
    return refuse(`WARLADDER_TLS_KEY: ${key}: not the key of the certificate`);
  }
  return credentials.createSsl(authority, secret, chain);
}

function pem(name: string, file: string): Buffer {
  return attempt(`${name}: ${file}: `, () => readFileSync(file));
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
  const trust = trusted();
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
