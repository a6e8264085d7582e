//! Standard input, with a bound for each line. A message that is too large is not kept: in its place stands a small one with its id, so that the client gets
//! an answer that says why, and does not wait for ever. The same goes for what is not JSON, such as half of a character that a program has cut in two.

use crate::limits::MESSAGE_BYTES;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The method that stands in the place of a message that is too large.
pub(crate) const TOO_LARGE: &str = "sonometer/too_large";
/// The method that stands in the place of a message that is not JSON.
pub(crate) const UNREADABLE: &str = "sonometer/unreadable";

/// What clients of the protocol from 2026 on say with every request; older ones are free to.
const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
/// Some programs begin a text with it; it is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The most bytes of an id that is looked for.
const ID_BYTES: usize = 256;

/// Passes lines on.
///
/// # Errors
/// Those of reading and writing.
pub(crate) async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    most: usize,
) -> std::io::Result<()> {
    let mut chunk = vec![0; 64 << 10];
    let mut line = Line::default();
    loop {
        let read = from.read(&mut chunk).await?;
        if read == 0 {
            // What has no end of its line is not complete.
            return to.shutdown().await;
        }
        let mut rest = &chunk[..read];
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (part, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            line.add(part, most);
            if end.is_some()
                && let Some(message) = line.take()
            {
                to.write_all(&message).await?;
            }
            rest = after;
        }
    }
}

/// The bound of [`pass`] for clients.
pub(crate) const MOST: usize = MESSAGE_BYTES;

/// A line as it comes.
#[derive(Debug, Default)]
struct Line {
    kept: Vec<u8>,
    is_too_large: bool,
    id: Id,
}

impl Line {
    fn add(&mut self, part: &[u8], most: usize) {
        self.id.read(part);
        self.is_too_large |= self.kept.len() + part.len() > most;
        match self.is_too_large {
            false => self.kept.extend_from_slice(part),
            true => self.kept = Vec::new(),
        }
    }

    /// The whole line, or what stands in its place. Notifications have no id: nobody waits for an answer to them.
    fn take(&mut self) -> Option<Vec<u8>> {
        let Self { kept, is_too_large, id } = std::mem::take(self);
        if is_too_large {
            return Some(instead(TOO_LARGE, "", &id.found?));
        }
        let json = kept.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&kept);
        match (serde_json::from_slice::<Value>(json), id.found) {
            // Where and why, without any of the text.
            (Err(why), Some(id)) => Some(instead(UNREADABLE, &why.to_string(), &id)),
            _ => Some(kept),
        }
    }
}

/// A message that stands in the place of another.
fn instead(method: &str, why: &str, id: &str) -> Vec<u8> {
    let why = Value::from(why);
    let params = format!(r#"{{"why":{why},"_meta":{META}}}"#);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n").into_bytes()
}

/// Looks for the id of a message while it passes, wherever it stands: the Python client writes it last.
#[derive(Debug, Default)]
struct Id {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The last text or number at the top level, as written.
    last: Vec<u8>,
    /// Whether `last` is the key `id`, and its value comes.
    value_comes: bool,
    found: Option<String>,
}

impl Id {
    fn read(&mut self, part: &[u8]) {
        part.iter().for_each(|byte| self.step(*byte));
    }

    fn step(&mut self, byte: u8) {
        let is_top = self.depth == 1;
        if self.in_text {
            if is_top && self.last.len() < ID_BYTES {
                self.last.push(byte);
            }
            match (self.is_escaped, byte) {
                (true, _) => self.is_escaped = false,
                (false, b'\\') => self.is_escaped = true,
                (false, b'"') => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                if is_top {
                    self.last = vec![byte];
                }
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if is_top {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if is_top => {
                self.value_comes = self.last == b"\"id\"";
                self.last.clear();
            }
            b',' if is_top => self.end_value(),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            other if is_top && self.last.len() < ID_BYTES => self.last.push(other),
            _ => {}
        }
    }

    /// An id is a text or a number; anything else is none.
    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.last);
        if !std::mem::take(&mut self.value_comes) {
            return;
        }
        let value = String::from_utf8(value).ok().filter(|value| value.len() < ID_BYTES);
        let read = |value: &String| serde_json::from_str::<Value>(value);
        self.found = value.filter(|value| read(value).is_ok_and(|read| read.is_string() || read.is_number()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn passed(input: &[u8], most: usize, chunk: usize) -> String {
        let (mut client, from) = tokio::io::duplex(chunk);
        let (to, mut server) = tokio::io::duplex(1 << 20);
        let input = input.to_vec();
        let write = async move {
            client.write_all(&input).await.expect("is read");
        };
        let read = async move {
            let mut all = String::new();
            server.read_to_string(&mut all).await.expect("is UTF-8");
            all
        };
        let ((), all, passed) = tokio::join!(write, read, pass(from, to, most));
        passed.expect("passes");
        all
    }

    #[tokio::test]
    async fn lines_pass_as_they_are() {
        let lines = "{\"id\":1}\n\n{\"id\":2,\"a\":\"x\\\"}\"}\r\nnot json\n";
        for chunk in [1, 3, 1 << 10] {
            assert_eq!(passed(lines.as_bytes(), 100, chunk).await, lines);
        }
        assert_eq!(
            passed(b"{\"id\":1}\n{\"id\":2}", 100, 7).await,
            "{\"id\":1}\n",
            "what has no end is not complete"
        );
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_keeps_its_id() {
        let long = "x".repeat(200);
        for (message, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"id":9,"text":"{long}"}}}}"#), "7"),
            (
                format!(
                    r#"{{"method":"a","params":{{"text":"{long}\"}}","id":[1]}},"jsonrpc":"2.0","id": "a\"b" }}"#
                ),
                r#""a\"b""#,
            ),
            (format!(r#"{{"text":"\\","params":["{long}"],"id":-3}}"#), "-3"),
        ] {
            let wanted = String::from_utf8(instead(TOO_LARGE, "", id)).expect("UTF-8") + "{}\n";
            for chunk in [1, 5, 1 << 10] {
                assert_eq!(
                    passed(format!("{message}\n{{}}\n").as_bytes(), 100, chunk).await,
                    wanted,
                    "{message}"
                );
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_json_keeps_its_id() {
        let deep = format!(r#"{{"id":1,"params":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for message in
            [br#"{"id":1,"text":"\ud83d"}"#, &b"{\"id\":1,\"text\":\"caf\xe9\"}"[..], deep.as_bytes()]
        {
            let line = [message, b"\n"].concat();
            let why = serde_json::from_slice::<Value>(message).expect_err("is no JSON").to_string();
            let wanted = String::from_utf8(instead(UNREADABLE, &why, "1")).expect("UTF-8");
            assert_eq!(passed(&line, 1_000, 64).await, wanted, "{line:?}");
        }
        let marked = "\u{feff}{\"id\":1}\n";
        assert_eq!(passed(marked.as_bytes(), 100, 64).await, marked, "is JSON");
    }

    #[tokio::test]
    async fn what_has_no_id_is_dropped() {
        let long = "x".repeat(200);
        for message in [
            format!(r#"{{"method":"notifications/a","params":{{"id":9,"text":"{long}"}}}}"#),
            format!(r#"{{"id":null,"text":"{long}"}}"#),
            format!(r#"{{"id":"{long}{long}"}}"#),
            long.clone(),
        ] {
            assert_eq!(passed(format!("{message}\n{{}}\n").as_bytes(), 100, 64).await, "{}\n", "{message}");
        }
    }
}
