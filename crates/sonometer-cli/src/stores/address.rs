//! Addresses: `s3://bucket/talks/a.parquet` and the like.

use crate::failure::Failure;

/// The kinds of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    S3,
    Google,
    Azure,
    Http,
    /// A path of this machine, written as an address.
    File,
}

const WRITE: &str = "write s3://, gs://, az://, abfss://, http://, https:// or file://";

/// Whether it is an address, and no path: a word, `://`, and more.
pub(crate) fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    })
}

/// The kind of the store of an address.
///
/// # Errors
/// For a scheme that no store has.
pub(super) fn known(address: &str) -> Result<Scheme, Failure> {
    let scheme = address.split("://").next().unwrap_or_default();
    Ok(match scheme.to_ascii_lowercase().as_str() {
        "s3" | "s3a" => Scheme::S3,
        "gs" => Scheme::Google,
        "az" | "azure" | "abfs" | "abfss" => Scheme::Azure,
        "http" | "https" => Scheme::Http,
        "file" => Scheme::File,
        _ => {
            return Err(Failure::unusable(format!("{address}: no store has the scheme `{scheme}`; {WRITE}")));
        }
    })
}

/// The path of this machine that an address stands for, if it is one.
///
/// # Errors
/// For an address that no store has.
#[cfg(feature = "stores")]
pub(crate) fn local(address: &str) -> Result<Option<String>, Failure> {
    if known(address)? != Scheme::File {
        return Ok(None);
    }
    let path = url::Url::parse(address).ok().and_then(|url| url.to_file_path().ok());
    match path.as_deref().and_then(std::path::Path::to_str) {
        Some(path) => Ok(Some(path.to_owned())),
        None => Err(Failure::unusable(format!(
            "{address}: is no path; write file:///folder/name, or the path alone"
        ))),
    }
}

/// An address in its parts.
#[cfg(feature = "stores")]
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) scheme: Scheme,
    /// What it is called in messages: without what a query or a password would tell.
    pub(super) shown: String,
    /// The store: `s3://bucket`; of HTTP the server, with the query of the address.
    pub(super) root: String,
    /// The store's name: bucket, container or server.
    pub(super) store: String,
    /// The name of the object in it, as it is; of HTTP with percents.
    pub(super) key: String,
}

#[cfg(feature = "stores")]
impl Address {
    /// # Errors
    /// For an address without a bucket, or that no store has.
    pub(super) fn parse(address: &str) -> Result<Self, Failure> {
        let scheme = known(address)?;
        let lacking =
            |what: &str| Failure::unusable(format!("{address}: the address has no {what}; write {address}…"));
        if scheme == Scheme::Http {
            let url = url::Url::parse(address)
                .map_err(|error| Failure::unusable(format!("{address}: is no address: {error}")))?;
            let mut shown = url.clone();
            shown.set_query(None);
            if !url.username().is_empty() || url.password().is_some() {
                return Err(Failure::unusable(format!(
                    "{}://{}: names and passwords in an address are not sent; download the file with a program that sends \
                     them",
                    url.scheme(),
                    url.host_str().unwrap_or_default()
                )));
            }
            let mut root = url.clone();
            root.set_path("");
            root.set_fragment(None);
            return Ok(Self {
                scheme,
                shown: shown.to_string(),
                root: root.to_string(),
                store: url.host_str().unwrap_or_default().to_owned(),
                key: url.path().trim_start_matches('/').to_owned(),
            });
        }
        let (name, rest) = address.split_once("://").unwrap_or_default();
        let (store, key) = rest.split_once('/').unwrap_or((rest, ""));
        if store.is_empty() {
            return Err(lacking("bucket"));
        }
        Ok(Self {
            scheme,
            shown: address.to_owned(),
            root: format!("{}://{store}", name.to_ascii_lowercase()),
            // `abfss://container@account…`
            store: store.split('@').next().unwrap_or_default().to_owned(),
            key: key.to_owned(),
        })
    }

    /// The name of another object of the same store, in messages.
    pub(super) fn of(&self, key: &str) -> String {
        format!("{}/{key}", self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for (path, address) in [
            ("s3://bucket/a.parquet", true),
            ("https://example.org/a.csv", true),
            ("a/b.parquet", false),
            ("./s3://a", false),
            ("://a", false),
            ("C:/a.csv", false),
        ] {
            assert_eq!(is_address(path), address, "{path}");
        }
    }

    #[cfg(feature = "stores")]
    #[test]
    fn an_address_has_a_store_and_a_key() {
        let of = |address| {
            let Ok(address) = Address::parse(address) else { panic!("{address} is an address") };
            (address.root, address.key, address.shown)
        };
        let own = |parts: [&str; 3]| (parts[0].to_owned(), parts[1].to_owned(), parts[2].to_owned());
        // A key is what it is: no percent is taken for an escape, no question mark for a query.
        assert_eq!(of("s3://b/t/100%?.csv"), own(["s3://b", "t/100%?.csv", "s3://b/t/100%?.csv"]));
        assert_eq!(of("s3://b"), own(["s3://b", "", "s3://b"]));
        assert_eq!(
            of("https://host:81/a%20b.csv?signature=x"),
            own(["https://host:81/?signature=x", "a%20b.csv", "https://host:81/a%20b.csv"])
        );
        for wrong in ["ftp://a/b", "s3:///a", "https://me:secret@host/a.csv"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
