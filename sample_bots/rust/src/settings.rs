//! What the environment and the flags say; flags go first.

use std::error::Error;
use std::ffi::OsString;
use std::time::Duration;
use std::{env, fs, process};

use lexopt::prelude::*;
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, pem::PemObject};
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
    trust: Option<ClientTlsConfig>,
}

impl Settings {
    /// A line to a referee.
    pub fn dial(&self, referee: &str) -> Result<Channel, tonic::transport::Error> {
        let address = match (referee, &self.trust) {
            (socket, _) if socket.starts_with("unix:") => socket.into(),
            (host, None) => format!("http://{host}"),
            (host, Some(_)) => format!("https://{host}"),
        };
        let mut line = Endpoint::from_shared(address)?
            .connect_timeout(Duration::from_secs(20))
            .http2_keep_alive_interval(Duration::from_secs(20));
        if let Some(trust) = &self.trust {
            line = line.tls_config(trust.clone())?;
        }
        Ok(line.connect_lazy())
    }
}

/// TLS if `WARLADDER_TLS_CA` names whom to trust.
///
/// `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
/// certificate of the bot. All three are PEM files, and looked at here: what is wrong with them
/// would be found only when the bot dials, and it would dial again.
fn trusted() -> Result<Option<ClientTlsConfig>, Box<dyn Error>> {
    let Some(authority) = variable("WARLADDER_TLS_CA") else { return Ok(None) };
    let pem = read_pem("WARLADDER_TLS_CA", &authority)?;
    let found = CertificateDer::pem_slice_iter(&pem).flatten();
    if RootCertStore::empty().add_parsable_certificates(found).0 == 0 {
        return Err(format!("WARLADDER_TLS_CA: {authority}: no certificate in PEM").into());
    }
    let mut trust = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
    match (variable("WARLADDER_TLS_CERTIFICATE"), variable("WARLADDER_TLS_KEY")) {
        (None, None) => {}
        (Some(certificate), Some(key)) => {
            let chain = read_pem("WARLADDER_TLS_CERTIFICATE", &certificate)?;
            if CertificateDer::from_pem_slice(&chain).is_err() {
                let why = "no certificate in PEM";
                return Err(format!("WARLADDER_TLS_CERTIFICATE: {certificate}: {why}").into());
            }
            let secret = read_pem("WARLADDER_TLS_KEY", &key)?;
            trust = trust.identity(Identity::from_pem(chain, secret));
            Endpoint::from_static("https://nobody").tls_config(trust.clone()).map_err(|fault| {
                let why = fault.source().map(ToString::to_string).unwrap_or_default();
                format!(
                    "WARLADDER_TLS_KEY: {key}: not the key of {certificate}, or it has a password,\
                     \x20which `openssl pkcs8 -topk8 -nocrypt -in {key}` takes off: {why}"
                )
            })?;
        }
        _ => {
            let why = "go together: set both";
            return Err(format!("WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY {why}").into());
        }
    }
    Ok(Some(trust))
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
        trust: None,
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
    given.trust = trusted()?;
    Ok(given)
}

fn whole(text: &OsString) -> Option<u32> {
    text.to_str()?.parse().ok().filter(|number| (1..=1000).contains(number))
}

/// What a variable holds; one that is empty counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn read_pem(name: &str, file: &str) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|fault| format!("{name}: {file}: {fault}"))
}

fn stop(fault: &str) -> ! {
    eprintln!("bot: {fault}");
    process::exit(2)
}
