//! The proxy before a provider that replays recorded answers, over sockets of the machine.

mod connections;
mod litellm;
mod masked;
mod provider;
mod refused;
