//! Messages over standard input and output. Read here and not by the library, which reserves what a header announces, however
//! much, and repeats a message that it cannot read.

use lsp_server::{Connection, Message};
use std::io::{self, BufRead, Read};
use std::thread::{self, JoinHandle};

/// The longest message; a file that can be read is far shorter.
const MOST: u64 = 64 << 20;
/// The longest line of a header.
const LINE: u64 = 1 << 10;

/// The two threads that read and write; each ends with its stream, or as soon as nobody is there at the other end.
pub(super) struct Threads {
    reader: JoinHandle<Result<(), String>>,
    writer: JoinHandle<io::Result<()>>,
}

/// The server's end of a connection over standard input and output.
pub(super) fn connect() -> (Connection, Threads) {
    let (own, editor) = Connection::memory();
    let Connection { sender, receiver } = editor;
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
            let is_last = matches!(&message, Message::Notification(told) if told.method == "exit");
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || {
        let mut output = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut output))
    });
    (own, Threads { reader, writer })
}

impl Threads {
    /// Waits until all is read and written.
    pub(super) fn join(self) -> Result<(), String> {
        let panicked = |_| "a thread of the language server panicked".to_owned();
        self.reader.join().map_err(panicked)??;
        self.writer.join().map_err(panicked)?.map_err(|error| error.to_string())
    }
}

/// The next message, or none at the end.
fn read(input: &mut impl BufRead) -> Result<Option<Message>, String> {
    let Some(length) = length(input)? else { return Ok(None) };
    let mut text = Vec::new();
    let cut = input.take(length).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if (cut as u64) < length {
        return Err(format!("a message of {length} bytes ends after {cut}"));
    }
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| format!("a message is not JSON: {error}"))?;
    serde_json::from_value(value)
        .map(Some)
        .map_err(|_| "a message is no request, answer or notification of JSON-RPC".to_owned())
}

/// What the header of the next message says of its length.
fn length(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(LINE).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        let text = str::from_utf8(&line).ok().and_then(|text| text.strip_suffix('\n'));
        match (text.map(str::trim), length) {
            (_, None) if line.is_empty() => return Ok(None),
            (Some(""), Some(_)) => return Ok(length),
            (Some(header), _) if header.contains(':') => {
                if let Some((_, value)) =
                    header.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                {
                    let value = value.trim();
                    let most = |length: &u64| *length <= MOST;
                    length = Some(value.parse().ok().filter(most).ok_or_else(|| {
                        format!("`Content-Length` is no number of at most {MOST} bytes, the longest message")
                    })?);
                }
            }
            _ => return Err("a message begins with `Content-Length: N` and an empty line".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_messages_are_read_with_bounds() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let whole = format!("content-length:{}\r\nContent-Type: x\r\n\r\n{exit}", exit.len());
        assert!(
            matches!(read(&mut whole.as_bytes()), Ok(Some(Message::Notification(told))) if told.method == "exit")
        );
        assert!(matches!(read(&mut &b""[..]), Ok(None)));
        for (text, said) in [
            ("Content-Length: 9223372036854775807\r\n\r\n{}", "at most 67108864 bytes"),
            ("Content-Length: -1\r\n\r\n{}", "at most 67108864 bytes"),
            ("Content-Length: 9\r\n\r\n{}", "a message of 9 bytes ends after 2"),
            ("Content-Length: 2\r\n\r\n{}", "no request, answer or notification"),
            ("Content-Length: 2\r\n\r\n{]", "not JSON: key must be a string at line 1 column 2"),
            ("\r\n{}", "begins with"),
            ("{}", "begins with"),
            ("Content-Length: 2\r\n", "begins with"),
        ] {
            assert!(read(&mut text.as_bytes()).is_err_and(|error| error.contains(said)), "{text}");
        }
        // A line without an end is not read on.
        let mut endless = io::repeat(b':');
        assert!(length(&mut io::BufReader::new(&mut endless)).is_err());
    }
}
