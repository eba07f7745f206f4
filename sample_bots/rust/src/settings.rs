//! What the environment and the flags say; flags go first.

use std::error::Error;
use std::ffi::OsString;
use std::time::Duration;
use std::{env, fs, process};

use lexopt::prelude::*;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

const HELP: &str = "\
usage: bot {BOTS} [flags]

A bot for Battle for Stalingrad.

  --referee HOST:PORT   default: WARLADDER_REFEREE, else localhost:7700
  --token TOKEN         default: WARLADDER_TOKEN
  --seed TEXT           of the bot's own chance; default: WARLADDER_SEED, else any
  --max-matches N       how many at once; default: 1
  --instance NAME       tells running copies apart
  --help                show this";

#[derive(Debug)]
pub struct Settings {
    pub bot: String,
    pub referee: String,
    pub token: String,
    /// Of the bot's own chance.
    pub seed: String,
    pub max_matches: u32,
    pub instance: String,
}

impl Settings {
    /// A line to a referee: TLS if `WARLADDER_TLS_CA` names whom to trust.
    ///
    /// `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
    /// certificate of the bot. All three are PEM files.
    pub fn dial(&self, referee: &str) -> Result<Channel, tonic::transport::Error> {
        let names = ["WARLADDER_TLS_CA", "WARLADDER_TLS_CERTIFICATE", "WARLADDER_TLS_KEY"];
        let [authority, certificate, key] = names.map(|name| Some(pem(&variable(name)?)));
        let address = match (referee, &authority) {
            (socket, _) if socket.starts_with("unix:") => socket.into(),
            (host, None) => format!("http://{host}"),
            (host, Some(_)) => format!("https://{host}"),
        };
        let mut line = Endpoint::from_shared(address)?
            .connect_timeout(Duration::from_secs(20))
            .http2_keep_alive_interval(Duration::from_secs(20));
        if let Some(authority) = authority {
            let mut trust = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
            if let (Some(certificate), Some(key)) = (certificate, key) {
                trust = trust.identity(Identity::from_pem(certificate, key));
            }
            line = line.tls_config(trust)?;
        }
        Ok(line.connect_lazy())
    }
}

/// Ends the program with a line on what is wrong, and exit code 2.
pub fn read(bots: &[&str]) -> Settings {
    parse(bots).unwrap_or_else(|fault| stop(&fault.to_string()))
}

fn parse(bots: &[&str]) -> Result<Settings, Box<dyn Error>> {
    let mut bot = None;
    let mut given = Settings {
        bot: String::new(),
        referee: variable("WARLADDER_REFEREE").unwrap_or("localhost:7700".into()),
        token: variable("WARLADDER_TOKEN").unwrap_or_default(),
        seed: variable("WARLADDER_SEED").unwrap_or_else(|| format!("{:016x}", fastrand::u64(..))),
        max_matches: 1,
        instance: String::new(),
    };
    let mut flags = lexopt::Parser::from_env();
    while let Some(flag) = flags.next()? {
        match flag {
            Long("referee") => given.referee = flags.value()?.string()?,
            Long("token") => given.token = flags.value()?.string()?,
            Long("seed") => given.seed = flags.value()?.string()?,
            Long("max-matches") => {
                given.max_matches = whole(&flags.value()?)
                    .ok_or("--max-matches takes a whole number from 1 to 1000")?;
            }
            Long("instance") => given.instance = flags.value()?.string()?,
            Long("help") | Short('h') => {
                println!("{}", HELP.replace("BOTS", &bots.join(",")));
                process::exit(0);
            }
            Value(name) if bot.is_none() => bot = Some(name.string()?),
            _ => return Err(flag.unexpected().into()),
        }
    }
    given.bot = bot.unwrap_or_default();
    if !bots.contains(&given.bot.as_str()) {
        return Err(format!("which bot? one of: {}", bots.join(", ")).into());
    }
    if given.token.is_empty() || !given.token.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err("no token: set WARLADDER_TOKEN to what `warladder bot add` printed".into());
    }
    Ok(given)
}

fn whole(text: &OsString) -> Option<u32> {
    text.to_str()?.parse().ok().filter(|number| (1..=1000).contains(number))
}

/// What a variable holds; one that is empty counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn pem(file: &str) -> Vec<u8> {
    fs::read(file).unwrap_or_else(|fault| stop(&format!("WARLADDER_TLS_…: {file}: {fault}")))
}

fn stop(fault: &str) -> ! {
    eprintln!("bot: {fault}");
    process::exit(2)
}
