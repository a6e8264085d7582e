//! Files from the world outside, into memory, up to a limit. Nothing is written to a disk.

use crate::reach::Reach;
use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION,
};
use hyper::{Method, Request, StatusCode};
use sonometer_service::Refusal;
use url::Url;

/// So many times a file may have moved.
const REDIRECTS: usize = 3;

/// A file as it came.
pub(crate) struct Fetched {
    pub(crate) bytes: Vec<u8>,
    /// Its name, as its address or its declared type has it.
    pub(crate) name: Option<String>,
}

/// Fetches a file of `most` bytes at most; `None`: it is larger.
pub(crate) async fn get(reach: &Reach, address: &str, most: usize) -> Result<Option<Fetched>, Refusal> {
    let mut url = reach.guard.url(address)?;
    let mut moved = 0;
    let mut answered = loop {
        let request =
            Request::builder().method(Method::GET).header(ACCEPT, "*/*").header(ACCEPT_ENCODING, "identity");
        let answered = reach.send(&url, request, Bytes::new()).await.map_err(|why| unreachable(&why))?;
        let status = answered.response.status();
        if !is_move(status) {
            break answered;
        }
        if moved == REDIRECTS {
            return Err(refused(
                "url_redirects",
                format!("more than {REDIRECTS} redirects; give the final address of the file"),
            ));
        }
        moved += 1;
        url = next(reach, &url, text(answered.response.headers(), &LOCATION))?;
    };
    let response = &mut answered.response;
    if response.status() != StatusCode::OK {
        let status = response.status().as_u16();
        return Err(refused(
            "url_status",
            format!(
                "the address answers {status} instead of 200; check that the file is public at this address"
            ),
        ));
    }
    let encoding = text(response.headers(), &CONTENT_ENCODING).unwrap_or("identity");
    if !encoding.eq_ignore_ascii_case("identity") {
        return Err(refused(
            "url_encoding",
            "the file is sent with a content encoding that was not requested; send it without".to_owned(),
        ));
    }
    let length = text(response.headers(), &CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Ok(None);
    }
    let name = name(&url, text(response.headers(), &CONTENT_TYPE));
    let mut bytes = Vec::new();
    while let Some(frame) = response.frame().await {
        let frame = frame.map_err(|_| unreachable("the connection closed before the whole file arrived"))?;
        let Some(more) = frame.data_ref() else { continue };
        if bytes.len() + more.len() > most {
            return Ok(None);
        }
        bytes.extend_from_slice(more);
    }
    Ok(Some(Fetched { bytes, name }))
}

fn is_move(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The address that a file has moved to, read as strictly as the first.
fn next(reach: &Reach, from: &Url, location: Option<&str>) -> Result<Url, Refusal> {
    let lost = || {
        refused("url_redirects", "a redirect without a target; give the final address of the file".to_owned())
    };
    let to = from.join(location.ok_or_else(lost)?).map_err(|_| lost())?;
    if from.scheme() == "https" && to.scheme() != "https" {
        return Err(refused(
            "url_redirects",
            "a redirect from https to http, which is not safe; give an https address".to_owned(),
        ));
    }
    reach.guard.url(to.as_str())
}

fn refused(reason: &'static str, message: String) -> Refusal {
    Refusal::invalid("", message).because(reason)
}

/// Why exactly is for the log alone: it would tell strangers what there is in the network of the service.
fn unreachable(why: &str) -> Refusal {
    tracing::debug!(why, "a file could not be fetched");
    let message = "the file cannot be fetched: its host is not public, does not answer, or closes the connection; check the address";
    Refusal::invalid("", message).because("url_not_reachable")
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The last part of a path if it has an ending; else one made of the declared type. It decides only between kinds of plain text.
fn name(url: &Url, declared: Option<&str>) -> Option<String> {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    if last.rsplit_once('.').is_some_and(|(before, ending)| !before.is_empty() && !ending.is_empty()) {
        return Some(last.to_owned());
    }
    let media = declared?.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let ending = match media.as_str() {
        "text/csv" => "csv",
        "text/tab-separated-values" => "tsv",
        "text/markdown" => "md",
        "application/json" => "json",
        "text/plain" => "txt",
        _ => return None,
    };
    Some(format!("file.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_address_or_the_declared_type() {
        for (url, declared, expected) in [
            ("https://example.com/a/notes.md?x=1.txt", Some("text/csv"), Some("notes.md")),
            ("https://example.com/a/", Some("text/csv; charset=utf-8"), Some("file.csv")),
            ("https://example.com/export", Some("Application/JSON"), Some("file.json")),
            ("https://example.com/.hidden", None, None),
            ("https://example.com", Some("image/png"), None),
        ] {
            let url = Url::parse(url).expect("is one");
            assert_eq!(name(&url, declared).as_deref(), expected, "{url}");
        }
    }
}
