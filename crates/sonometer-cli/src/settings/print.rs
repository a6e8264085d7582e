//! The settings in use, as a file of settings: each value with its source. Secrets are not shown.

use super::Settings;
use super::keys::{KEYS, Kind, Value};
use std::fmt::Write;

/// A text as TOML writes it. JSON's escapes are TOML's, but for the delete character.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default().replace('\u{7f}', "\\u007f")
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Whole(number) => number.to_string(),
        Value::Switch(on) => on.to_string(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// An address of a database without its password, which is before the host or a parameter; `None`: it has none.
fn without_password(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    // A password may hold any mark that is not escaped as it should be: what is hidden must not depend on that.
    let (user, rest) = match rest.split_once('?').filter(|(before, _)| before.contains('@')) {
        Some((before, query)) => {
            let (user, host) = before.rsplit_once('@')?;
            (user, format!("{host}?{query}"))
        }
        None => rest.rsplit_once('@').map_or(("", rest.to_owned()), |(user, host)| (user, host.to_owned())),
    };
    let name = user.split_once(':').map(|(name, _)| name);
    let (before, query) = rest.split_once('?').unwrap_or((&rest, ""));
    let shown: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("password=")).collect();
    if name.is_none() && shown.len() == query.split('&').count() {
        return None;
    }
    let user = name.unwrap_or(user);
    let at = if user.is_empty() { "" } else { "@" };
    let query = shown.join("&");
    let mark = if query.is_empty() { "" } else { "?" };
    Some(format!("{scheme}://{user}{at}{before}{mark}{query}"))
}

impl Settings {
    /// All of them, valid as a file.
    pub(crate) fn print(&self) -> String {
        let mut text = String::from(
            "# The settings in use. After each value: its source (flag, variable, file:line or default).\n",
        );
        let mut section = "";
        for key in KEYS.iter() {
            let (value, source) = &self.values[key.id as usize];
            let (own, name) = key.name.split_once('.').unwrap_or(("", key.name));
            if own != section {
                section = own;
                let _ = write!(text, "\n[{own}]\n");
            }
            let when = if key.live { "" } else { "; needs a restart" };
            let _ = writeln!(text, "# {} ({}{when})", key.about, key.variable());
            let _ = match (key.kind, value) {
                (Kind::Secret, Value::Text(secret)) if !secret.is_empty() => {
                    writeln!(text, "# {name} = (hidden)  # {source}")
                }
                (_, Value::Text(url)) if without_password(url).is_some() => {
                    let shown = quoted(&without_password(url).unwrap_or_default());
                    writeln!(text, "{name} = {shown}  # {source}; its password is hidden")
                }
                _ => writeln!(text, "{name} = {}  # {source}", written(value)),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hidden_wherever_it_is_in_the_address() {
        for (url, shown) in [
            (
                "postgres://me:hush@host:5432/db?sslmode=require",
                Some("postgres://me@host:5432/db?sslmode=require"),
            ),
            ("postgres://me:hu/sh@host/db", Some("postgres://me@host/db")),
            ("postgres://me:hu?sh@host/db", Some("postgres://me@host/db")),
            ("postgres://me:hu@sh@host/db", Some("postgres://me@host/db")),
            (
                "postgres://me@host/db?password=hush&sslmode=require",
                Some("postgres://me@host/db?sslmode=require"),
            ),
            ("postgres:///db?host=/run&user=me&password=hush", Some("postgres:///db?host=/run&user=me")),
            ("postgres://:hush@host/db", Some("postgres://host/db")),
            ("postgres://me@host/db?sslmode=require", None),
            ("postgres://host/db", None),
            ("folder/db.sqlite", None),
        ] {
            assert_eq!(without_password(url).as_deref(), shown, "{url}");
        }
    }
}
