/**
 * The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.
 *
 * One plain loop reads a message, thinks and writes, however many matches there are: the referee
 * asks one question at a time, and the next one's clock stands still until it is put.
 */

import { setTimeout as sleep } from "node:timers/promises";

import {
  type ClientDuplexStream,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";

import type { Settings } from "./settings.js";
import {
  type BotMessage,
  Choose as Choice,
  type Decide,
  Detail,
  FaultCode,
  Goodbye,
  GoodbyeReason,
  Hello,
  type MatchEnded,
  type MatchStarted,
  type Ready,
  type RefereeClient,
  type RefereeMessage,
  type Update,
  type Welcome,
} from "./stubs/warladder/v1/referee.js";

/** Results are kept by version: raise it when the bot changes. */
const VERSION = "1";

/** Milliseconds before dialling again: doubled each time that nobody answers. */
const FIRST_WAIT = 200;
const LONGEST_WAIT = 10_000;

/** How long a connection may take; grpc-js would wait for ever where nobody speaks. */
const CONNECT_TIME = 20_000;

/** How long matches that this referee does not have are looked for at the others. */
const SEARCH_TIME = 60_000;
const SEARCH_WAIT = 500;

/** Dialling again does not mend these. */
const HOPELESS: readonly status[] = [
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.INVALID_ARGUMENT,
  status.UNIMPLEMENTED,
];

const CHANNEL = {
  "grpc.keepalive_time_ms": 20_000,
  "grpc.max_receive_message_length": 16 << 20,
  // Connections are shared otherwise, and dialled again when the library sees fit.
  "grpc.use_local_subchannel_pool": 1,
};

/** The bot itself: question, own seat and seed to the index of an option. */
export type Choose = (asked: Decide, seat: number, seed: string) => number;

type Stream = ClientDuplexStream<BotMessage, RefereeMessage>;

/** What is remembered of a running match, so that it can go on after a cut. */
interface Match {
  readonly seat: number;
  lastEvent: number;
  receipt: Buffer;
}

/** A bot's presence on a ladder, over as many streams as it takes. */
export class Attendance {
  private readonly matches = new Map<string, Match>();
  /** Where to dial, the next one first. */
  private readonly referees: string[];
  private wait = FIRST_WAIT;
  /** The referee let us in: after a cut our matches are to be found there first. */
  private stays = false;
  /** Until when missing matches are looked for; 0 while none is missing. */
  private searchUntil = 0;
  /** The one that we stay on, once we are welcome there. */
  private stream: Stream | undefined;
  private leaving = false;

  constructor(
    private readonly settings: Settings<string>,
    private readonly choose: Choose,
  ) {
    this.referees = [settings.referee];
  }

  /** Attend until the bot is no longer wanted; returns the exit code. */
  async run(): Promise<number> {
    for (;;) {
      const referee = this.referees[0]!;
      this.stays = false;
      const client = this.settings.dial(referee, CHANNEL);
      try {
        const code = await this.attend(client);
        if (code !== undefined) {
          return code;
        }
      } catch (error) {
        if (!isServiceError(error)) {
          throw error;
        }
        say(`${referee}: ${status[error.code]}: ${error.details}`);
        if (HOPELESS.includes(error.code)) {
          return 1;
        }
      } finally {
        this.stream = undefined;
        client.close();
      }
      if (this.leaving && this.matches.size === 0) {
        return 0;
      }
      if (!this.stays) {
        this.referees.push(this.referees.shift()!);
      }
      await sleep(this.wait * (1 + Math.random() / 2));
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    }
  }

  /**
   * Take no new matches, and end with the last one that runs.
   *
   * False if there is nothing to wait for: nothing is to be played, or it was called before.
   */
  leave(): boolean {
    if (this.leaving || (!this.stream && this.matches.size === 0)) {
      return false;
    }
    this.leaving = true;
    const running = this.matches.size;
    say(`leaving: no new matches, ${running} still run; Ctrl-C again leaves now`);
    this.part();
    return true;
  }

  /** Say Goodbye if we are leaving; where we are not welcome yet, it follows the next Welcome. */
  private part(): void {
    if (this.leaving && this.stream) {
      write(this.stream, { $case: "goodbye", value: Goodbye.create() });
    }
  }

  /** One stream; returns the exit code, or undefined to dial again after `this.wait`. */
  private async attend(client: RefereeClient): Promise<number | undefined> {
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${this.settings.token}`);
    const stream = client.attend(metadata);
    const patience = setTimeout(() => giveUp(client), CONNECT_TIME);
    try {
      write(stream, { $case: "hello", value: this.hello() });
      for await (const { message } of stream as AsyncIterable<RefereeMessage>) {
        switch (message?.$case) {
          case "welcome":
            if (!this.welcomed(message.value)) {
              return undefined;
            }
            this.stream = stream;
            this.part();
            break;
          case "referees":
            this.know(message.value.addresses);
            break;
          case "matchStarted":
            write(stream, { $case: "ready", value: this.started(message.value) });
            break;
          case "decide": {
            const choice = this.decide(message.value);
            if (choice) {
              write(stream, { $case: "choose", value: choice });
            }
            break;
          }
          case "update":
            this.seen(message.value);
            break;
          case "matchEnded":
            this.ended(message.value);
            break;
          case "ping":
            write(stream, { $case: "pong", value: { number: message.value.number } });
            break;
          case "fault":
            say(`${FaultCode[message.value.code] ?? message.value.code}: ${message.value.text}`);
            break;
          case "goodbye":
            return this.parted(message.value);
          default: // of a newer minor version
        }
      }
      return undefined;
    } finally {
      clearTimeout(patience);
      stream.cancel();
    }
  }

  private hello(): Hello {
    return Hello.create({
      version: VERSION,
      instance: this.settings.instance,
      games: ["stalingrad"],
      maxMatches: this.settings.maxMatches,
      detail: Detail.DETAIL_NO_LABELS,
      resume: Array.from(this.matches, ([match, { lastEvent, receipt }]) => ({
        match,
        lastEvent,
        receipt,
      })),
    });
  }

  /** Whether to stay: our matches go on here, or no other referee can have them. */
  private welcomed(welcome: Welcome): boolean {
    say(`attending as ${welcome.bot}`);
    this.know(welcome.referees);
    const missing = [...this.matches.keys()].filter((match) => !welcome.resumed.includes(match));
    const now = performance.now();
    if (missing.length === 0 || (0 < this.searchUntil && this.searchUntil < now)) {
      this.searchUntil = 0;
      for (const match of missing) {
        this.matches.delete(match); // ended while we were away
      }
      this.stays = true;
    } else {
      this.searchUntil ||= now + SEARCH_TIME;
      this.stays = welcome.resumed.length > 0 || this.referees.length === 1;
    }
    this.wait = this.stays ? FIRST_WAIT : SEARCH_WAIT;
    return this.stays;
  }

  /** Where else to dial when this referee goes. */
  private know(referees: readonly string[]): void {
    this.referees.push(...referees.filter((each) => !this.referees.includes(each)));
  }

  private started({ match, seat }: MatchStarted): Ready {
    if (!this.matches.has(match)) {
      this.matches.set(match, { seat, lastEvent: 0, receipt: Buffer.alloc(0) });
    }
    return { match };
  }

  /** The answer; undefined for a match that we have no seat in. */
  private decide(asked: Decide): Choice | undefined {
    const match = this.seen(asked);
    if (!match) {
      return undefined;
    }
    const option = this.choose(asked, match.seat, this.settings.seed);
    return Choice.create({ match: asked.match, decision: asked.decision, option });
  }

  /**
   * Note how far we are; `message.events` has what happened, for a bot that wants it.
   * Undefined for a match that we have no seat in.
   */
  private seen(message: Decide | Update): Match | undefined {
    const match = this.matches.get(message.match);
    if (match) {
      match.lastEvent = message.lastEvent;
      match.receipt = message.receipt;
    }
    return match;
  }

  private ended({ match, text }: MatchEnded): void {
    this.matches.delete(match);
    if (text) {
      say(`${match}: ${text}`); // what a fault of our own was
    }
  }

  /** What a Goodbye means: an exit code, or undefined to dial again after `this.wait`. */
  private parted(goodbye: Goodbye): number | undefined {
    switch (goodbye.reason) {
      case GoodbyeReason.GOODBYE_REASON_DONE:
        return 0;
      case GoodbyeReason.GOODBYE_REASON_REPLACED:
      case GoodbyeReason.GOODBYE_REASON_FAULT:
        return 1;
      case GoodbyeReason.GOODBYE_REASON_REVOKED:
        say("this token opens nothing any more: set WARLADDER_TOKEN to the new one");
        return 1;
      case GoodbyeReason.GOODBYE_REASON_DRAINING:
        this.stays = false;
    }
    this.wait = Math.max(goodbye.reconnectAfterMs, FIRST_WAIT);
    return undefined;
  }
}

/** Say something. A stream that has ended takes nothing: reading it tells why. */
function write(stream: Stream, message: BotMessage["message"]): void {
  stream.write({ message });
}

/** Ends what has no connection yet; reading the stream tells so. */
function giveUp(client: RefereeClient): void {
  if (client.getChannel().getConnectivityState(false) === connectivityState.CONNECTING) {
    client.close();
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}

function say(line: string): void {
  console.error(line);
}
