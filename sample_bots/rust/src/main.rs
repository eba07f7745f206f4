//! Runs one of the bots: `./bot greedy`, `./bot random`.

mod attend;
mod chance;
mod greedy;
mod settings;

/// The protocol's messages, made by `build.rs`.
#[allow(clippy::all)]
mod pb {
    tonic::include_proto!("warladder.v1");
}

use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use attend::{Attendance, Choose, Leave};

/// Any option, each as likely as the others.
fn random(asked: &pb::Decide, _seat: usize, seed: &str) -> usize {
    chance::pick(seed, &asked.r#match, asked.decision, asked.options.len())
}

const BOTS: [(&str, Choose); 2] = [("greedy", greedy::choose), ("random", random)];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let chosen = settings::read(&BOTS.map(|(name, _)| name));
    let choose = BOTS.iter().find(|(name, _)| *name == chosen.bot).expect("it was checked").1;
    let leave = Arc::new(Leave::default());
    obey(Arc::clone(&leave));
    Attendance::new(chosen, choose, leave).run().await.into()
}

/// End the process when it is told to, also in the middle of a thought: at once, or at a first
/// Ctrl-C with its last match.
fn obey(leave: Arc<Leave>) {
    let mut signals = Signals::new([SIGTERM, SIGINT]).expect("both can be caught");
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTERM {
                exit(0);
            }
            if !leave.begin() {
                exit(130);
            }
        }
    });
}
