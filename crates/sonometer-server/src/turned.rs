//! Connections that are ended before anything was asked. Each could be a line of the log, so that one client fills the disk for all;
//! so the first of a client is a line at once, and how many more there were is one line a minute later.

use crate::network;
use std::collections::HashMap;
use std::fmt::Display;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;

/// How long connections are counted together.
const TOGETHER: Duration = Duration::from_secs(60);
/// The most clients that are counted apart; those beyond are counted as one.
const APART: usize = 64;

/// Why a connection was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Why {
    /// One client holds as many as one may.
    Share,
    /// No TLS, or none in time.
    Tls,
    /// HTTP/2, to which there is no answer that its clients read.
    Http2,
    /// The system gave none: mostly too many open files.
    System,
}

impl Why {
    pub(crate) const ALL: [Self; 4] = [Self::Share, Self::Tls, Self::Http2, Self::System];

    /// Its name in figures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Tls => "tls",
            Self::Http2 => "http2",
            Self::System => "system",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Share => "too many connections of one client",
            Self::Tls => "no TLS connection",
            Self::Http2 => "a client speaks HTTP/2; the service speaks HTTP/1.1",
            Self::System => "a connection could not be accepted",
        }
    }

    /// Operators mend the last one; the others are what clients do.
    fn say(self, client: Option<&str>, more: Option<u64>, error: Option<&str>) {
        match self {
            Self::System => tracing::warn!(client, more, error, "{}", self.sentence()),
            Self::Share | Self::Tls | Self::Http2 => {
                tracing::info!(client, more, error, "{}", self.sentence())
            }
        }
    }
}

/// What is counted together; `None`: all for whom there was no room, and those of nobody.
type Group = (Why, Option<IpAddr>);

/// Counts them.
#[derive(Clone, Default)]
pub(crate) struct Turned {
    inner: Arc<Mutex<Counted>>,
}

#[derive(Default)]
struct Counted {
    /// Behind the line that said so already.
    more: HashMap<Group, u64>,
    all: [u64; Why::ALL.len()],
}

impl Turned {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there were since the start.
    pub(crate) fn all(&self, why: Why) -> u64 {
        self.counted().all[why as usize]
    }

    /// Notes one.
    pub(crate) fn away(&self, why: Why, client: Option<IpAddr>, error: Option<&dyn Display>) {
        let mut counted = self.counted();
        counted.all[why as usize] += 1;
        let own = (why, client.map(network::of_one));
        let group = match counted.more.contains_key(&own) || counted.more.len() < APART {
            true => own,
            false => (why, None),
        };
        if let Some(more) = counted.more.get_mut(&group) {
            *more += 1;
            return;
        }
        counted.more.insert(group, 0);
        drop(counted);
        let client = client.map(|client| client.to_string());
        why.say(client.as_deref(), None, error.map(ToString::to_string).as_deref());
        let turned = self.clone();
        tokio::spawn(async move {
            sleep(TOGETHER).await;
            turned.sum_up(group);
        });
    }

    fn sum_up(&self, group: Group) {
        let more = self.counted().more.remove(&group).filter(|more| *more > 0);
        if let (Some(more), (why, client)) = (more, group) {
            why.say(client.map(network::shown).as_deref(), Some(more), None);
        }
    }

    /// Says at once what it would say later: the process ends.
    pub(crate) fn sum_up_all(&self) {
        let groups: Vec<Group> = self.counted().more.keys().copied().collect();
        groups.into_iter().for_each(|group| self.sum_up(group));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::subscriber::set_default;
    use tracing::{Event, Metadata, Subscriber};

    /// Keeps the lines of the log.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            let _ = write!(self.0, "{}={value:?} ", field.name());
        }
    }

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut line = Line(String::new());
            event.record(&mut line);
            self.0.lock().expect("is sound").push(line.0);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    impl Lines {
        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().expect("is sound"))
        }
    }

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().expect("is an address"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_is_two_lines_a_minute_however_often_it_comes() {
        let lines = Lines::default();
        let _logs = set_default(lines.clone());
        let turned = Turned::default();
        for at in 0..1_000 {
            turned.away(Why::Share, address(&format!("2001:db8::{at:x}")), None);
        }
        turned.away(Why::Tls, address("192.0.2.1"), Some(&"corrupt"));
        let (share, tls) = ("message=too many connections of one client ", "message=no TLS connection ");
        let first = [
            format!("{share}client=\"2001:db8::\" "),
            format!("{tls}client=\"192.0.2.1\" error=\"corrupt\" "),
        ];
        assert_eq!(lines.take(), first);
        sleep(TOGETHER * 2).await;
        // What came once needs no second line.
        assert_eq!(lines.take(), [format!("{share}client=\"2001:db8::/64\" more=999 ")]);
        turned.away(Why::Share, address("2001:db8::1"), None);
        turned.away(Why::Share, address("2001:db8::2"), None);
        lines.take();
        turned.sum_up_all();
        assert_eq!(lines.take(), [format!("{share}client=\"2001:db8::/64\" more=1 ")]);
        sleep(TOGETHER * 2).await;
        assert!(lines.take().is_empty(), "was said already");
        assert_eq!((turned.all(Why::Share), turned.all(Why::Tls), turned.all(Why::System)), (1_002, 1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn many_clients_are_counted_as_one() {
        let lines = Lines::default();
        let _logs = set_default(lines.clone());
        let turned = Turned::default();
        for at in 0..10_000 {
            turned.away(Why::Tls, address(&format!("2001:db8:{at:x}::1")), None);
        }
        sleep(TOGETHER * 2).await;
        let said = lines.take();
        // One for each that is counted apart, one for the first beyond them, and their sum.
        assert_eq!(said.len(), APART + 2);
        assert_eq!(said.last().map(String::as_str), Some("message=no TLS connection more=9935 "));
    }
}
