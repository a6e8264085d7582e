//! The settings of the service: from flags, variables of the environment, one file and defaults, in this order.

mod file;
mod keys;
mod print;
mod typed;

pub(crate) use keys::{KEYS, Key, LOG_LEVEL, Name, Value, key};

use crate::failure::Failure;
use sonometer::document::suggest;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Usual,
    /// The line of the file.
    File(String, usize),
    /// The variable.
    Environment(String),
    /// The flag.
    Flag(String),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usual => f.write_str("default"),
            Self::File(file, line) => write!(f, "{file}:{line}"),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A value that a flag gives.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) flag: String,
    pub(crate) name: Name,
    pub(crate) value: Value,
}

impl Given {
    /// A text that a flag gives, if it is used.
    pub(crate) fn text(flag: &str, name: Name, value: Option<&str>) -> Option<Self> {
        value.map(|text| Self { flag: flag.to_owned(), name, value: Value::Text(text.to_owned()) })
    }
}

/// Every setting with its source.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    values: Vec<(Value, Source)>,
}

/// A variable that counts for the log where the service's own is not set, as in other programs.
const RUST_LOG: &str = "RUST_LOG";
/// Variables of other parts of the command, and of its tests.
const OTHERS: [&str; 7] = ["MASK_", "TEST_", "BENCH", "FUZZ", "CASES", "WHISPER", "PIECES"];

impl Settings {
    /// Puts together what flags, the environment and a file say.
    ///
    /// # Errors
    /// Everything that is wrong in flags, the environment and the file, a line each.
    pub(crate) fn read(
        flags: &[Given],
        environment: &BTreeMap<String, String>,
        file: Option<&str>,
    ) -> Result<Self, Failure> {
        let mut settings =
            Self { values: KEYS.iter().map(|key| (key.usual.clone(), Source::Usual)).collect() };
        let mut wrong = Vec::new();
        if let Some(path) = file {
            settings.take_file(path, &mut wrong)?;
        }
        settings.take_environment(environment, &mut wrong);
        for given in flags {
            match key(given.name).check(&given.value) {
                Ok(()) => settings.put(given.name, given.value.clone(), Source::Flag(given.flag.clone())),
                Err(message) => wrong.push(format!("{}: {message}", given.flag)),
            }
        }
        if wrong.is_empty() {
            settings.check_together(&mut wrong);
        }
        if wrong.is_empty() { Ok(settings) } else { Err(Failure::unusable(wrong.join("\n"))) }
    }

    fn put(&mut self, name: Name, value: Value, source: Source) {
        self.values[name as usize] = (value, source);
    }

    pub(crate) fn value(&self, name: Name) -> &Value {
        &self.values[name as usize].0
    }

    pub(crate) fn source(&self, name: Name) -> &Source {
        &self.values[name as usize].1
    }

    fn take_environment(&mut self, environment: &BTreeMap<String, String>, wrong: &mut Vec<String>) {
        let level = key(Name::LogLevel);
        if let Some(text) = environment.get(RUST_LOG).filter(|_| !environment.contains_key(&level.variable()))
        {
            match level.read(&keys::rust_log(text)) {
                Ok(value) => self.put(Name::LogLevel, value, Source::Environment(RUST_LOG.to_owned())),
                Err(message) => wrong.push(format!("{RUST_LOG}: {message}")),
            }
        }
        let variables: Vec<String> = KEYS.iter().map(Key::variable).collect();
        for (name, text) in environment.iter().filter(|(name, _)| name.starts_with("SONOMETER_")) {
            if let Some(at) = variables.iter().position(|variable| variable == name) {
                let key = &KEYS[at];
                match key.read(text) {
                    Ok(value) => self.put(key.id, value, Source::Environment(name.clone())),
                    Err(message) => wrong.push(format!("{name}: {message}")),
                }
                continue;
            }
            let rest = &name["SONOMETER_".len()..];
            if name == CONFIG || OTHERS.iter().any(|other| rest.starts_with(other)) {
                continue;
            }
            // What schedulers of containers set by themselves (SONOMETER_PORT, …) must not keep the service from starting.
            // Compared without what all begin with, which would make any two of them alike.
            let known: Vec<&str> = variables.iter().map(|variable| &variable["SONOMETER_".len()..]).collect();
            if let Some(near) = suggest(rest, &known) {
                wrong.push(format!("{name}: unknown variable; did you mean `SONOMETER_{near}`?"));
            }
        }
    }

    fn check_together(&self, wrong: &mut Vec<String>) {
        let mut pair = |one: Name, other: Name| {
            if !self.text(one).is_empty() && self.text(other).is_empty() {
                let (source, one, other) = (self.source(one), key(one).name, key(other).name);
                wrong.push(format!("{source}: `{one}` needs `{other}`; give both, or neither"));
            }
        };
        pair(Name::TlsCert, Name::TlsKey);
        pair(Name::TlsKey, Name::TlsCert);
        let (listen, admin) = (self.text(Name::Listen), self.text(Name::AdminListen));
        if is_same_address(listen, admin) {
            let source = self.source(Name::AdminListen);
            wrong.push(format!(
                "{source}: `admin_listen` ({admin}) and `listen` ({listen}) name the same address; give one of them another port"
            ));
        }
        if !self.text(Name::KeysFile).is_empty() && !self.text(Name::KeysSecret).is_empty() {
            let source = self.source(Name::KeysSecret);
            wrong.push(format!("{source}: `keys.secret` and `keys.file` both give keys; give one of them"));
        }
        if self.whole(Name::TranscriberSeconds) > 0 && self.text(Name::TranscriberCommand).is_empty() {
            let source = self.source(Name::TranscriberSeconds);
            wrong.push(format!("{source}: `transcriber.seconds` needs `transcriber.command`"));
        }
        if self.is_on(Name::OtlpEvaluations) && self.text(Name::OtlpEndpoint).is_empty() {
            let source = self.source(Name::OtlpEvaluations);
            wrong.push(format!(
                "{source}: `otlp.evaluations` needs `otlp.endpoint`; give the address of a collector"
            ));
        }
        // The flags exclude each other already.
        for name in [Name::FilesHosts, Name::TranscriberCommand] {
            let is_given = !self.list(name).is_empty() || !self.text(name).is_empty();
            if is_given && !self.is_on(Name::FilesOn) {
                let (source, name) = (self.source(name), key(name).name);
                wrong.push(format!(
                    "{source}: `{name}` does nothing while `files.on` is false; leave out one of them"
                ));
            }
        }
    }

    /// Takes from a newer reading what a reload changes; the rest, and `except`, still is as the service began.
    pub(crate) fn take_live(&mut self, new: &Self, except: &[&str]) {
        for key in KEYS.iter().filter(|key| key.live && !except.contains(&key.name)) {
            self.values[key.id as usize] = new.values[key.id as usize].clone();
        }
    }

    /// What differs from another reading: the names that a reload changes, and those that need a restart.
    pub(crate) fn differences(&self, new: &Self) -> (Vec<&'static str>, Vec<&'static str>) {
        let changed = KEYS.iter().filter(|key| self.value(key.id) != new.value(key.id));
        let (live, fixed): (Vec<&Key>, Vec<&Key>) = changed.partition(|key| key.live);
        let names = |keys: Vec<&Key>| keys.iter().map(|key| key.name).collect();
        (names(live), names(fixed))
    }
}

/// Whether only one of two can listen. Port 0 is another one each time; `0.0.0.0` is every address, so that of the other, too.
fn is_same_address(one: &str, other: &str) -> bool {
    match (one.parse::<SocketAddr>(), other.parse::<SocketAddr>()) {
        (Ok(one), Ok(other)) => {
            let covers = one.is_ipv4() == other.is_ipv4()
                && (one.ip().is_unspecified() || other.ip().is_unspecified());
            one.port() == other.port() && one.port() != 0 && (one.ip() == other.ip() || covers)
        }
        // Names are resolved later.
        _ => one == other && !one.is_empty() && !one.ends_with(":0"),
    }
}

/// The variable that names the file.
pub(crate) const CONFIG: &str = "SONOMETER_CONFIG";

/// `limits.body_bytes=2097152`, as behind `--set`.
pub(crate) fn assignment(text: &str) -> Result<Given, String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("write KEY=VALUE, such as limits.body_bytes=2097152".to_owned());
    };
    let name = name.trim();
    let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| unknown(name))?;
    Ok(Given { flag: "--set".to_owned(), name: key.id, value: key.read(value)? })
}

/// What to write in the place of an unknown key. Names are compared without their section, which would make any two of it alike.
fn unknown(name: &str) -> String {
    let parts = || KEYS.iter().map(|key| key.name.split_once('.').unwrap_or(("", key.name)));
    let of =
        |section: &str| parts().filter(|(own, _)| *own == section).map(|(_, key)| key).collect::<Vec<_>>();
    let mut sections: Vec<&str> = parts().map(|(section, _)| section).filter(|own| !own.is_empty()).collect();
    sections.dedup();
    let did_you_mean = |name: &str| format!("unknown key; did you mean `{name}`?");
    let whole = |section: &str, key: &str| {
        if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
    };
    if sections.contains(&name) {
        return format!("`{name}` is a section; its keys are {}", of(name).join(", "));
    }
    let (section, key) = name.split_once('.').unwrap_or(("", name));
    let near = if sections.contains(&section) { Some(section) } else { suggest(section, &sections) };
    if let Some(near) = near {
        return match suggest(key, &of(near)) {
            Some(key) => did_you_mean(&whole(near, key)),
            None => format!("unknown key; the keys of `{near}` are {}", of(near).join(", ")),
        };
    }
    // Without its section, or a section without its keys.
    if let Some((section, key)) = parts().find(|(_, own)| *own == key) {
        return did_you_mean(&whole(section, key));
    }
    let top = [of(""), sections].concat();
    match suggest(if section.is_empty() { key } else { section }, &top) {
        Some(near) => did_you_mean(near),
        None => format!("unknown key; the keys and sections are {}", top.join(", ")),
    }
}

/// The variables of the environment that are text.
pub(crate) fn environment() -> BTreeMap<String, String> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

#[cfg(test)]
mod tests;
