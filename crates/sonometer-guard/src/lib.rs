#![doc = include_str!("../README.md")]

mod blocked;
mod exchange;
mod form;
mod guard;
mod json;
mod lane;
mod moves;
mod numbering;
mod policy;
mod report;
mod route;
mod schema;
mod side;
mod sse;
mod stream;
mod tables;
mod texts;
mod values;
mod walk;
mod written;

pub use blocked::{Blocked, Kind};
pub use exchange::Exchange;
pub use form::Form;
pub use guard::Guard;
pub use numbering::Table;
pub use policy::{
    Action, Limits, Logprobs, Misfit, Numbers, On, Pass, Policy, Role, Rule, Thinking, Unknown,
};
pub use report::{Report, Sensed};
pub use route::Route;
pub use stream::Stream;
pub use tables::Tables;
pub use texts::Texts;
