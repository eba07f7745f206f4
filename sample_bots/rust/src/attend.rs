//! The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.
//!
//! One plain loop reads a message, thinks and writes, however many matches there are: the referee
//! asks one question at a time, and the next one's clock stands still until it is put.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Display;
use std::io::{Write, stderr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::select;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Status};

use crate::pb::bot_message::Message as Say;
use crate::pb::referee_client::RefereeClient;
use crate::pb::referee_message::Message as Heard;
use crate::pb::{self, FaultCode, GoodbyeReason};
use crate::settings::Settings;

/// Results are kept by version: raise it when the bot changes.
const VERSION: &str = "1";

/// Before dialling again: doubled each time that nobody answers.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How long matches that this referee does not have are looked for at the others.
const SEARCH_TIME: Duration = Duration::from_secs(60);
const SEARCH_WAIT: Duration = Duration::from_millis(500);

/// Dialling again does not mend these.
const HOPELESS: [Code; 4] =
    [Code::Unauthenticated, Code::PermissionDenied, Code::InvalidArgument, Code::Unimplemented];

const LARGEST_MESSAGE: usize = 16 << 20;

/// The bot itself: question, own seat and seed to the index of an option.
pub type Choose = fn(&pb::Decide, usize, &str) -> usize;

/// What is remembered of a running match, so that it can go on after a cut.
#[derive(Debug, Default)]
struct Match {
    seat: usize,
    last_event: u32,
    receipt: Vec<u8>,
}

/// How a Ctrl-C, which comes on another thread, makes the bot leave.
#[derive(Debug, Default)]
pub struct Leave {
    standing: Mutex<Standing>,
    /// Goodbye is to be said now.
    told: Notify,
}

#[derive(Debug, Default)]
struct Standing {
    /// We are welcome on a stream and stay on it.
    welcome: bool,
    /// Matches that are remembered.
    running: usize,
    leaving: bool,
}

impl Leave {
    /// Take no new matches, and end with the last one that runs.
    ///
    /// False if there is nothing to wait for: nothing is to be played, or it was called before.
    pub fn begin(&self) -> bool {
        let mut standing = self.standing.lock().expect("nobody panics here");
        let Standing { welcome, running, leaving } = *standing;
        if leaving || !welcome && running == 0 {
            return false;
        }
        standing.leaving = true;
        say(format!("leaving: no new matches, {running} still run; Ctrl-C again leaves now"));
        if welcome {
            self.told.notify_one(); // else Goodbye follows the next Welcome
        }
        true
    }

    /// Note where we stand; whether we are leaving.
    fn note(&self, welcome: bool, running: usize) -> bool {
        let mut standing = self.standing.lock().expect("nobody panics here");
        (standing.welcome, standing.running) = (welcome, running);
        standing.leaving
    }
}

/// A bot's presence on a ladder, over as many streams as it takes.
#[derive(Debug)]
pub struct Attendance {
    settings: Settings,
    choose: Choose,
    matches: BTreeMap<String, Match>,
    /// Where to dial, the next one first.
    referees: Vec<String>,
    wait: Duration,
    /// The referee let us in: after a cut our matches are to be found there first.
    stays: bool,
    /// Until when missing matches are looked for.
    search_until: Option<Instant>,
    leave: Arc<Leave>,
}

impl Attendance {
    pub fn new(settings: Settings, choose: Choose, leave: Arc<Leave>) -> Self {
        Self {
            referees: vec![settings.referee.clone()],
            settings,
            choose,
            matches: BTreeMap::new(),
            wait: FIRST_WAIT,
            stays: false,
            search_until: None,
            leave,
        }
    }

    /// Attend until the bot is no longer wanted; returns the exit code.
    pub async fn run(&mut self) -> u8 {
        loop {
            let referee = self.referees[0].clone();
            self.stays = false;
            let code = match self.attend(&referee).await {
                Ok(code) => code,
                Err(status) => {
                    say(format!("{referee}: {}: {}", name(status.code()), reason(&status)));
                    HOPELESS.contains(&status.code()).then_some(1)
                }
            };
            let leaving = self.leave.note(false, self.matches.len());
            if let Some(code) = code {
                return code;
            }
            if leaving && self.matches.is_empty() {
                return 0;
            }
            if !self.stays {
                self.referees.rotate_left(1);
            }
            sleep(self.wait.mul_f64(1.0 + fastrand::f64() / 2.0)).await;
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
        }
    }

    /// One stream; returns the exit code, or None to dial again after `self.wait`.
    async fn attend(&mut self, referee: &str) -> Result<Option<u8>, Status> {
        let line = self.settings.dial(referee).map_err(|fault| Status::from_error(fault.into()))?;
        let mut stub = RefereeClient::new(line).max_decoding_message_size(LARGEST_MESSAGE);
        let (stream, words) = mpsc::channel(1);
        let mut call = Request::new(ReceiverStream::new(words));
        let token = format!("Bearer {}", self.settings.token);
        let token = token.parse().expect("settings let only printable ones pass");
        call.metadata_mut().insert("authorization", token);
        write(&stream, Say::Hello(self.hello())).await;
        let mut messages = stub.attend(call).await?.into_inner();
        let leave = Arc::clone(&self.leave);
        loop {
            let message = select! {
                message = messages.message() => message?,
                () = leave.told.notified() => {
                    write(&stream, Say::Goodbye(pb::Goodbye::default())).await;
                    continue;
                }
            };
            let Some(message) = message else { return Ok(None) };
            let Some(message) = message.message else { continue }; // of a newer minor version
            match message {
                Heard::Welcome(welcome) => {
                    if !self.welcomed(welcome) {
                        return Ok(None);
                    }
                    if leave.note(true, self.matches.len()) {
                        write(&stream, Say::Goodbye(pb::Goodbye::default())).await;
                    }
                }
                Heard::Referees(referees) => self.know(referees.addresses),
                Heard::MatchStarted(started) => {
                    let ready = pb::Ready { r#match: started.r#match.clone() };
                    self.started(started);
                    leave.note(true, self.matches.len());
                    write(&stream, Say::Ready(ready)).await;
                }
                Heard::Decide(asked) => {
                    if let Some(choice) = self.decide(&asked) {
                        write(&stream, Say::Choose(choice)).await;
                    }
                }
                Heard::Update(update) => {
                    self.seen(&update.r#match, update.last_event, update.receipt);
                }
                Heard::MatchEnded(ended) => {
                    self.ended(&ended);
                    leave.note(true, self.matches.len());
                }
                Heard::Ping(ping) => {
                    write(&stream, Say::Pong(pb::Pong { number: ping.number })).await;
                }
                Heard::Fault(fault) => match FaultCode::try_from(fault.code) {
                    Ok(code) => say(format!("{}: {}", code.as_str_name(), fault.text)),
                    Err(_) => say(format!("{}: {}", fault.code, fault.text)),
                },
                Heard::Goodbye(goodbye) => return Ok(self.parted(&goodbye)),
            }
        }
    }

    fn hello(&self) -> pb::Hello {
        let resume = |(name, each): (&String, &Match)| pb::Resume {
            r#match: name.clone(),
            last_event: each.last_event,
            receipt: each.receipt.clone(),
        };
        pb::Hello {
            version: VERSION.into(),
            instance: self.settings.instance.clone(),
            games: vec!["stalingrad".into()],
            max_matches: self.settings.max_matches,
            detail: pb::Detail::NoLabels.into(),
            resume: self.matches.iter().map(resume).collect(),
            ..pb::Hello::default()
        }
    }

    /// Whether to stay: our matches go on here, or no other referee can have them.
    fn welcomed(&mut self, welcome: pb::Welcome) -> bool {
        say(format!("attending as {}", welcome.bot));
        self.know(welcome.referees);
        let now = Instant::now();
        let missing = self.matches.keys().any(|name| !welcome.resumed.contains(name));
        if !missing || self.search_until.is_some_and(|until| until < now) {
            self.search_until = None;
            self.matches.retain(|name, _| welcome.resumed.contains(name)); // others have ended
            self.stays = true;
        } else {
            self.search_until.get_or_insert(now + SEARCH_TIME);
            self.stays = !welcome.resumed.is_empty() || self.referees.len() == 1;
        }
        self.wait = if self.stays { FIRST_WAIT } else { SEARCH_WAIT };
        self.stays
    }

    /// Where else to dial when this referee goes.
    fn know(&mut self, referees: Vec<String>) {
        for each in referees {
            if !self.referees.contains(&each) {
                self.referees.push(each);
            }
        }
    }

    fn started(&mut self, started: pb::MatchStarted) {
        let seat = started.seat as usize;
        self.matches.entry(started.r#match).or_insert(Match { seat, ..Match::default() });
    }

    fn decide(&mut self, asked: &pb::Decide) -> Option<pb::Choose> {
        let seat = self.seen(&asked.r#match, asked.last_event, asked.receipt.clone())?;
        let option = (self.choose)(asked, seat, &self.settings.seed) as u32;
        let (name, decision) = (asked.r#match.clone(), asked.decision);
        Some(pb::Choose { r#match: name, decision, option, ..pb::Choose::default() })
    }

    /// Note how far we are in a match; returns our seat, None if it is not one of ours.
    ///
    /// The message's `events` have what happened, for a bot that wants it.
    fn seen(&mut self, name: &str, last_event: u32, receipt: Vec<u8>) -> Option<usize> {
        let each = self.matches.get_mut(name)?;
        (each.last_event, each.receipt) = (last_event, receipt);
        Some(each.seat)
    }

    fn ended(&mut self, ended: &pb::MatchEnded) {
        self.matches.remove(&ended.r#match);
        if !ended.text.is_empty() {
            say(format!("{}: {}", ended.r#match, ended.text)); // what a fault of our own was
        }
    }

    /// What a Goodbye means: an exit code, or None to dial again after `self.wait`.
    fn parted(&mut self, goodbye: &pb::Goodbye) -> Option<u8> {
        match goodbye.reason() {
            GoodbyeReason::Done => return Some(0),
            GoodbyeReason::Replaced | GoodbyeReason::Fault => return Some(1),
            GoodbyeReason::Revoked => {
                say("this token opens nothing any more: set WARLADDER_TOKEN to the new one");
                return Some(1);
            }
            GoodbyeReason::Draining => self.stays = false,
            _ => {}
        }
        self.wait = FIRST_WAIT.max(Duration::from_millis(goodbye.reconnect_after_ms.into()));
        None
    }
}

/// Say something. A stream that has ended takes nothing: reading it tells why.
async fn write(stream: &mpsc::Sender<pb::BotMessage>, message: Say) {
    let _ = stream.send(pb::BotMessage { message: Some(message) }).await;
}

fn say(line: impl Display) {
    let _ = writeln!(stderr(), "{line}"); // nobody may be there to read it
}

/// What a status says, and the cause at the bottom of it.
fn reason(status: &Status) -> String {
    let mut said = status.message().to_owned();
    let mut cause = status.source();
    while let Some(deeper) = cause.and_then(Error::source) {
        cause = Some(deeper);
    }
    if let Some(cause) = cause.map(ToString::to_string).filter(|cause| *cause != said) {
        said = format!("{said}: {cause}");
    }
    said
}

/// The name of a code as gRPC writes it, such as `PERMISSION_DENIED`.
fn name(code: Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
