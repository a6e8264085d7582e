//! What went wrong with a store, in words that say what to do.

use super::address::{Address, Scheme};
use crate::failure::Failure;
use object_store::Error;
use std::env;

/// An error of a store about an address.
pub(super) fn failure(address: &Address, error: &Error) -> Failure {
    Failure::unusable(format!("{}: {}", address.shown, why(address, error)))
}

/// Why, and what to do, without the address.
pub(super) fn why(address: &Address, error: &Error) -> String {
    let text = chain(error);
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let names = Names::of(address.scheme);
    let store = &address.store;
    if has(&["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"]) {
        return format!("there is no {} `{store}`; check its name{}", names.container, names.endpoint());
    }
    // The service of a cloud for its own machines is asked after all variables were found empty.
    if has(&[
        "latest/api/token",
        "latest/meta-data",
        "computeMetadata",
        "metadata/identity",
        "Account must be specified",
    ]) {
        return format!("no credentials were found; {}", names.credentials);
    }
    if has(&["incorrectly configured region", "AuthorizationHeaderMalformed", "PermanentRedirect"]) {
        let asked = env::var("AWS_REGION").or_else(|_| env::var("AWS_DEFAULT_REGION"));
        let asked = asked.unwrap_or_else(|_| "us-east-1".to_owned());
        let own = match text.split_once("<Region>").and_then(|(_, rest)| rest.split_once("</Region>")) {
            Some((region, _)) => format!("AWS_REGION={region}"),
            None => "AWS_REGION to that of the bucket".to_owned(),
        };
        return format!("the bucket is not in the region `{asked}`; set {own}");
    }
    if has(&["ExpiredToken", "TokenRefreshRequired"]) {
        return "the credentials have expired; get new ones, and go on with --resume".to_owned();
    }
    if has(&["InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthenticationFailed", "InvalidClientTokenId"]) {
        return format!("the store does not know these credentials; check {}", names.variables);
    }
    if has(&["URL scheme is not allowed", "scheme is not http"]) {
        return format!(
            "the address of the store begins with http://, which sends texts in the open; allow it with {}",
            names.http
        );
    }
    match error {
        Error::PermissionDenied { .. } => format!(
            "access is denied (403): these credentials may not do this{}; check {}",
            names.rights, names.variables
        ),
        Error::Unauthenticated { .. } => {
            format!("the store wants credentials (401); {}", names.credentials)
        }
        Error::NotFound { .. } => "there is no such object; check the name, or write a folder or pattern".to_owned(),
        Error::Precondition { .. } => "it was changed while it was read; begin again without --resume".to_owned(),
        Error::NotSupported { .. } if address.scheme == Scheme::Http => {
            "the server sends whole files only, and this format is read in pieces; download the file, or take CSV or \
             JSON lines"
                .to_owned()
        }
        _ => {
            let last = innermost(error);
            let connecting = ["error sending request", "error trying to connect", "dns error", "Connection refused"];
            match connecting.iter().any(|word| text.contains(word)) {
                true => format!("no connection to the store: {last}; check the network{}", names.endpoint()),
                false => last,
            }
        }
    }
}

/// All that an error is made of, as one text.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text.push_str(" | ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

/// The first cause, on one line.
fn innermost(error: &Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    let text = last.to_string();
    let line: Vec<&str> = text.split_whitespace().collect();
    let mut line = line.join(" ");
    if let Some((at, _)) = line.char_indices().nth(300) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// What things are called in a store.
struct Names {
    container: &'static str,
    credentials: &'static str,
    variables: &'static str,
    rights: &'static str,
    http: &'static str,
    /// The variable for a store that is not that of the company.
    endpoint: Option<&'static str>,
}

impl Names {
    fn of(scheme: Scheme) -> Self {
        match scheme {
            Scheme::S3 => Self {
                container: "bucket",
                credentials: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (a profile: `eval \"$(aws configure \
                              export-credentials --format env)\"`), or AWS_SKIP_SIGNATURE=true for a public bucket",
                variables: "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
                rights: " (reading needs s3:GetObject and s3:ListBucket, writing s3:PutObject)",
                http: "AWS_ALLOW_HTTP=true",
                endpoint: Some("AWS_ENDPOINT_URL"),
            },
            Scheme::Google => Self {
                container: "bucket",
                credentials: "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account (or that of `gcloud auth \
                              application-default login`), or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
                variables: "GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT",
                rights: " (reading needs storage.objects.get and storage.objects.list, writing storage.objects.create)",
                http: "GOOGLE_ALLOW_HTTP=true",
                endpoint: None,
            },
            Scheme::Azure => Self {
                container: "container",
                credentials: "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_SKIP_SIGNATURE=true \
                              for a public container",
                variables: "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
                rights: "",
                http: "AZURE_ALLOW_HTTP=true",
                endpoint: Some("AZURE_STORAGE_ENDPOINT"),
            },
            Scheme::Http | Scheme::File => Self {
                container: "server",
                credentials: "download the file with a program that sends them",
                variables: "the address",
                rights: "",
                http: "an address with https://",
                endpoint: None,
            },
        }
    }

    fn endpoint(&self) -> String {
        self.endpoint.map_or(String::new(), |name| match env::var(name) {
            Ok(value) => format!(", and {name}, which is {value}"),
            Err(_) => format!(", and {name} if the store is one of your own"),
        })
    }
}
