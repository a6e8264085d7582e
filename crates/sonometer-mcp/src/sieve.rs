//! Standard input, with a bound for each line. A message that is too large is not kept: in its place stands a small one with its id, so that the client gets
//! an answer that says why, and does not wait for ever. The same goes for what is not JSON, such as half of a character that a program has cut in two, and
//! for JSON that is no request. Where such a line has no id that can be found, it is answered here, with the id null, as JSON-RPC wants.

use crate::limits::MESSAGE_BYTES;
use rmcp::model::ErrorData;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

/// The method that stands in the place of a message that is too large.
pub(crate) const TOO_LARGE: &str = "sonometer/too_large";
/// The method that stands in the place of a message that is not JSON.
pub(crate) const UNREADABLE: &str = "sonometer/unreadable";
/// The method that stands in the place of JSON that is no request.
pub(crate) const MISSHAPEN: &str = "sonometer/misshapen";

/// What clients of the protocol from 2026 on say with every request; older ones are free to.
const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
/// Some programs begin a text with it; it is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The most bytes of an id that is looked for.
const ID_BYTES: usize = 256;

/// Passes lines on; `answers` gets the answers to those without an id that can be found.
///
/// # Errors
/// Those of reading and writing.
pub(crate) async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    answers: &Mutex<impl AsyncWrite + Unpin>,
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
            if end.is_some() {
                match line.take() {
                    Taken::Message(message) => to.write_all(&message).await?,
                    Taken::Answer(answer) => write_line(answers, answer.to_string().as_bytes()).await?,
                    Taken::Nothing => {}
                }
            }
            rest = after;
        }
    }
}

/// The bound of [`pass`] for clients.
pub(crate) const MOST: usize = MESSAGE_BYTES;

/// Writes a whole line: others write to the same client.
///
/// # Errors
/// Those of writing.
pub(crate) async fn write_line(to: &Mutex<impl AsyncWrite + Unpin>, line: &[u8]) -> std::io::Result<()> {
    let mut to = to.lock().await;
    to.write_all(line).await?;
    to.write_all(b"\n").await?;
    to.flush().await
}

/// What becomes of a line.
#[derive(Debug, PartialEq)]
enum Taken {
    /// It is passed on, or what stands in its place.
    Message(Vec<u8>),
    /// It is answered here.
    Answer(Value),
    /// A notification that is too large: nobody waits for an answer to it.
    Nothing,
}

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

    fn take(&mut self) -> Taken {
        let Self { kept, is_too_large, id } = std::mem::take(self);
        if is_too_large {
            return id.found.map_or(Taken::Nothing, |id| Taken::Message(instead(TOO_LARGE, "", &id)));
        }
        let json = kept.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&kept);
        let read = serde_json::from_slice::<Value>(json);
        // A message without a method is no notification: its sender expects an answer.
        let is_notification =
            read.as_ref().is_ok_and(|message| message.get("id").is_none() && message["method"].is_string());
        if is_notification || json.trim_ascii().is_empty() {
            return Taken::Message(kept);
        }
        let Some(answer) = refusal(&kept) else { return Taken::Message(kept) };
        // Where and why, without any of the text.
        match (read, id.found.filter(|id| is_id(&serde_json::from_str(id).unwrap_or_default()))) {
            (Err(why), Some(id)) => Taken::Message(instead(UNREADABLE, &why.to_string(), &id)),
            (Ok(message), Some(id)) => {
                Taken::Message(instead(MISSHAPEN, misshapen(&message).unwrap_or_default(), &id))
            }
            (_, None) => Taken::Answer(answer),
        }
    }
}

/// What keeps a message from being a request; `None` for one, and for an answer.
fn misshapen(message: &Value) -> Option<&'static str> {
    let has = |key: &str| message.get(key).is_some();
    if message.is_array() {
        return Some("it is a list, and each message has to be sent by itself");
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("`jsonrpc` is not \"2.0\"");
    }
    if !has("method") && (has("result") || has("error")) {
        return None;
    }
    if !message.get("method").is_some_and(Value::is_string) {
        return Some("`method` is not a text");
    }
    let params = message.get("params");
    if params.is_some_and(|params| !params.is_object() && !params.is_null()) {
        return Some("`params` is not an object");
    }
    message.get("id").is_some_and(|id| !is_id(id)).then_some("`id` is not a text or a whole number")
}

/// Whether requests may have it as their id.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// The form of a request.
const FORM: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "…", "params": {…}}"#;

/// What a client is told whose message is not JSON.
pub(crate) fn unreadable(why: &str) -> ErrorData {
    ErrorData::parse_error(format!("the message is not JSON: {why}; write {FORM}, in UTF-8"), None)
}

/// What a client is told whose message is no request.
pub(crate) fn no_request(why: &str) -> ErrorData {
    ErrorData::invalid_request(format!("the message is no request: {why}; write {FORM}"), None)
}

/// The answer to a whole message that cannot be served; `None` for one that can.
pub(crate) fn refusal(message: &[u8]) -> Option<Value> {
    let json = message.strip_prefix(BYTE_ORDER_MARK).unwrap_or(message);
    let error = match serde_json::from_slice::<Value>(json) {
        Err(why) => unreadable(&why.to_string()),
        Ok(message) => no_request(misshapen(&message)?),
    };
    let mut id = Id::default();
    id.read(message);
    let id = id.found.and_then(|id| serde_json::from_str(&id).ok()).unwrap_or(Value::Null);
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}))
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

    /// A line that passes.
    const NEXT: &str = "{\"method\":\"a\"}\n";

    async fn passed(input: &[u8], most: usize, chunk: usize) -> String {
        let (mut client, from) = tokio::io::duplex(chunk);
        let (to, mut server) = tokio::io::duplex(1 << 20);
        let answers = Mutex::new(Vec::new());
        let input = input.to_vec();
        let write = async move {
            client.write_all(&input).await.expect("is read");
        };
        let read = async move {
            let mut all = String::new();
            server.read_to_string(&mut all).await.expect("is UTF-8");
            all
        };
        let ((), all, passed) = tokio::join!(write, read, pass(from, to, &answers, most));
        passed.expect("passes");
        all + std::str::from_utf8(&answers.into_inner()).expect("is UTF-8")
    }

    #[tokio::test]
    async fn lines_pass_as_they_are() {
        let lines = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"x\\\"}\"}\r\n{\"method\":\"a\"}\n";
        for chunk in [1, 3, 1 << 10] {
            assert_eq!(passed(lines.as_bytes(), 100, chunk).await, lines);
        }
        assert_eq!(
            passed(b"{\"method\":\"a\"}\n{\"method\":\"b\"}", 100, 7).await,
            "{\"method\":\"a\"}\n",
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
            let wanted = String::from_utf8(instead(TOO_LARGE, "", id)).expect("UTF-8") + NEXT;
            for chunk in [1, 5, 1 << 10] {
                assert_eq!(
                    passed(format!("{message}\n{NEXT}").as_bytes(), 100, chunk).await,
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
        let marked = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
        assert_eq!(passed(marked.as_bytes(), 100, 64).await, marked, "is JSON");
    }

    #[tokio::test]
    async fn what_is_no_request_keeps_its_id() {
        for (message, why) in [
            (r#"{"id":1,"method":"ping"}"#, "`jsonrpc` is not \"2.0\""),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "`jsonrpc` is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":1}"#, "`method` is not a text"),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "`method` is not a text"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "`params` is not an object"),
        ] {
            let wanted = String::from_utf8(instead(MISSHAPEN, why, "1")).expect("UTF-8");
            assert_eq!(passed(format!("{message}\n").as_bytes(), 1_000, 64).await, wanted, "{message}");
        }
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
        ] {
            let line = format!("{message}\n");
            assert_eq!(passed(line.as_bytes(), 1_000, 64).await, line);
        }
    }

    #[tokio::test]
    async fn what_has_no_id_that_can_be_found_is_answered() {
        for (message, code, why) in [
            ("hello", -32700, "not JSON"),
            (r#"{"jsonrpc":"2.0","method""#, -32700, "not JSON"),
            ("[]", -32600, "each message has to be sent by itself"),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
                -32600,
                "each message has to be sent by itself",
            ),
            ("5", -32600, "`jsonrpc` is not"),
            ("{}", -32600, "`jsonrpc` is not"),
            (r#"{"jsonrpc":"2.0"}"#, -32600, "`method` is not a text"),
            (r#"{"jsonrpc":"2.0","method":3}"#, -32600, "`method` is not a text"),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                -32600,
                "`id` is not a text or a whole number",
            ),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, "`id` is not a text or a whole number"),
        ] {
            let said = passed(format!("{message}\n").as_bytes(), 1_000, 64).await;
            let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{message}: {said}"));
            let is_fraction = message.contains("1.5");
            assert_eq!(said.get("id"), Some(&if is_fraction { json!(1.5) } else { Value::Null }), "{said}");
            assert_eq!(said["error"]["code"], code, "{said}");
            assert!(said["error"]["message"].as_str().is_some_and(|told| told.contains(why)), "{said}");
        }
        for message in [" \r\n", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n"] {
            assert_eq!(passed(message.as_bytes(), 100, 64).await, message, "nobody waits for an answer");
        }
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
            assert_eq!(passed(format!("{message}\n{NEXT}").as_bytes(), 100, 64).await, NEXT, "{message}");
        }
    }
}
