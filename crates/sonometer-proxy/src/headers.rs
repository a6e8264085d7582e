//! Which headers go on.

use axum::http::{HeaderMap, HeaderName, StatusCode, header};

/// Headers between two neighbours.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// All end-to-end headers, repeated ones repeated. Length and host are set anew.
pub(crate) fn forward(from: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = from
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut to = HeaderMap::with_capacity(from.len());
    for (name, value) in from {
        let is_own = HOP_BY_HOP.contains(&name.as_str())
            || named.iter().any(|other| other == name.as_str())
            || matches!(*name, header::HOST | header::CONTENT_LENGTH);
        if !is_own {
            to.append(name.clone(), value.clone());
        }
    }
    to
}

/// Takes out what is no longer true of a body that may have changed.
pub(crate) fn changed(headers: &mut HeaderMap) {
    let gone = [
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::ETAG,
        HeaderName::from_static("content-md5"),
        HeaderName::from_static("digest"),
        HeaderName::from_static("content-digest"),
        HeaderName::from_static("repr-digest"),
    ];
    for name in gone {
        headers.remove(name);
    }
}

/// Whether a body is compressed.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).iter().any(|value| {
        let value = value.as_bytes().trim_ascii();
        !value.is_empty() && !value.eq_ignore_ascii_case(b"identity")
    })
}

/// Whether a body says that its characters are written otherwise than ASCII, such as in UTF-7, where `+AEA-` is an `@`: a reader that goes
/// by it would find what the guard does not.
pub(crate) fn is_other_charset(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_TYPE).iter().any(|value| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        value.split(';').skip(1).filter_map(|part| part.split_once('=')).any(|(name, charset)| {
            let charset = charset.trim().trim_matches(['"', '\'']).replace('_', "-");
            let is_like_ascii =
                matches!(charset.as_str(), "" | "utf-8" | "utf8" | "us-ascii" | "ascii" | "latin1")
                    || ["iso-8859-", "windows-125"].iter().any(|start| charset.starts_with(start));
            name.trim() == "charset" && !is_like_ascii
        })
    })
}

/// Whether a body has events.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
}

/// Whether an answer sends its client to another address.
pub(crate) fn leads_elsewhere(status: StatusCode, headers: &HeaderMap) -> bool {
    status.is_redirection() && headers.contains_key(header::LOCATION)
}

/// Whether a header that counts once stands more than once, with different values.
pub(crate) fn differs(headers: &HeaderMap, name: &str) -> bool {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    all.any(|value| Some(value) != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_body_says_of_its_bytes_is_read() {
        let says = |name: HeaderName, value: &str| {
            HeaderMap::from_iter([(name, value.parse().expect("is a value"))])
        };
        for (value, is_other) in [
            ("application/json", false),
            ("application/json; charset=utf-8", false),
            ("text/event-stream;charset=\"UTF-8\"", false),
            ("application/json; charset=ISO-8859-1", false),
            ("application/json; charset=utf-7", true),
            ("application/json; a=b; Charset = UTF-16", true),
            ("application/json; charset='utf_32'", true),
        ] {
            assert_eq!(is_other_charset(&says(header::CONTENT_TYPE, value)), is_other, "{value}");
        }
        for (value, is) in
            [("identity", false), ("Identity", false), ("", false), ("gzip", true), ("gzip, identity", true)]
        {
            assert_eq!(is_encoded(&says(header::CONTENT_ENCODING, value)), is, "{value}");
        }
    }

    #[test]
    fn only_end_to_end_headers_go_on() {
        let mut from = HeaderMap::new();
        for (name, value) in [
            ("host", "a"),
            ("connection", "close, X-Own"),
            ("x-own", "1"),
            ("set-cookie", "a=1"),
            ("set-cookie", "b=2"),
            ("authorization", "Bearer x"),
            ("content-length", "3"),
            ("transfer-encoding", "chunked"),
        ] {
            from.append(HeaderName::from_static(name), value.parse().expect("is a value"));
        }
        let to = forward(&from);
        assert_eq!(to.get_all("set-cookie").iter().count(), 2);
        assert_eq!(to.len(), 3);
        assert_eq!(to["authorization"], "Bearer x");
    }
}
