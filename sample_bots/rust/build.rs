//! Makes the messages and the client of the `.proto` files, with the `protoc` that is installed.

use std::{env, io, path::Path};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=PROTO");
    let beside = if Path::new("proto").is_dir() { "proto" } else { "../../proto" };
    let proto = env::var("PROTO").unwrap_or_else(|_| beside.into());
    let referee = format!("{proto}/warladder/v1/referee.proto");
    tonic_prost_build::configure().build_server(false).compile_protos(&[referee], &[proto])
}
