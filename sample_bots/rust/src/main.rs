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

use std::process::ExitCode;
use std::sync::{Arc, atomic::AtomicBool};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use attend::{Attendance, Choose};

/// Any option, each as likely as the others.
fn random(asked: &pb::Decide, _seat: usize, seed: &str) -> usize {
    chance::pick(seed, &asked.r#match, asked.decision, asked.options.len())
}

const BOTS: [(&str, Choose); 2] = [("greedy", greedy::choose), ("random", random)];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    for (signal, code) in [(SIGTERM, 0), (SIGINT, 130)] {
        // At once, even in the middle of a thought.
        flag::register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))
            .expect("both can be caught");
    }
    let chosen = settings::read(&BOTS.map(|(name, _)| name));
    let choose = BOTS.iter().find(|(name, _)| *name == chosen.bot).expect("it was checked").1;
    Attendance::new(chosen, choose).run().await.into()
}
