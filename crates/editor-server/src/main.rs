//! `acp-lens`: the language server, the trace reader and the other subcommands.

fn main() {}
