//! Settings as the parts of the service take them.

use super::Settings;
use super::keys::{Name, Value};
use crate::failure::Failure;
use sonometer_server::{FileLimits, Limits, Live, Network, TlsFiles};
use sonometer_service::guard::{Allowed, Guard};
use sonometer_service::{Retention, vault::Vault};
use std::time::Duration;

impl Settings {
    pub(crate) fn text(&self, name: Name) -> &str {
        match self.value(name) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// A text that is there only if it is not empty.
    pub(crate) fn given(&self, name: Name) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    pub(crate) fn whole(&self, name: Name) -> u64 {
        match self.value(name) {
            Value::Whole(number) => *number,
            _ => 0,
        }
    }

    pub(crate) fn is_on(&self, name: Name) -> bool {
        matches!(self.value(name), Value::Switch(true))
    }

    pub(crate) fn list(&self, name: Name) -> &[String] {
        match self.value(name) {
            Value::List(items) => items,
            _ => &[],
        }
    }

    fn size(&self, name: Name) -> usize {
        usize::try_from(self.whole(name)).unwrap_or(usize::MAX)
    }

    fn seconds(&self, name: Name) -> Duration {
        Duration::from_secs(self.whole(name))
    }

    /// The hosts of a list, which were checked when it was read.
    pub(crate) fn guard(&self, name: Name) -> Guard {
        Guard::new(self.list(name).iter().filter_map(|host| host.parse::<Allowed>().ok()).collect())
    }

    fn limits(&self) -> Limits {
        Limits {
            body_bytes: self.size(Name::BodyBytes),
            arrival: self.seconds(Name::ArrivalSeconds),
            arriving: self.size(Name::Arriving),
            in_flight: self.size(Name::InFlight),
            waiting: self.size(Name::Waiting),
            turn: self.seconds(Name::TurnSeconds),
            connections: self.size(Name::Connections),
            streams: self.size(Name::Streams),
            heartbeat: self.seconds(Name::HeartbeatSeconds),
            stalled: self.seconds(Name::StalledSeconds),
            dive_idle: self.seconds(Name::DiveIdleSeconds),
            drain: self.seconds(Name::DrainSeconds),
            failures_of_client: self.whole(Name::FailuresOfClient),
            failures_of_prefix: self.whole(Name::FailuresOfPrefix),
        }
    }

    pub(crate) fn file_limits(&self) -> FileLimits {
        FileLimits {
            now_bytes: self.size(Name::FileNowBytes),
            most_bytes: self.size(Name::FileMostBytes),
            now_time: self.seconds(Name::FileNowSeconds),
            most_time: self.seconds(Name::FileMostSeconds),
            fetches: self.size(Name::FileFetches),
            readers: self.size(Name::FileReaders),
            audio_bytes: self.size(Name::AudioBytes),
            audio_time: self.seconds(Name::AudioSeconds),
            hearings: self.size(Name::Hearings),
            ..FileLimits::default()
        }
    }

    /// What can change while the service runs.
    pub(crate) fn live(&self) -> Live {
        let proxies = self.list(Name::TrustedProxies).iter();
        Live {
            limits: self.limits(),
            origins: self.list(Name::CorsOrigins).to_vec(),
            proxies: proxies.filter_map(|net| Network::read(net).ok()).collect(),
        }
    }

    /// The files of the certificate, if TLS is spoken.
    pub(crate) fn tls_files(&self) -> Option<TlsFiles> {
        let (cert, key) = (self.given(Name::TlsCert)?, self.given(Name::TlsKey)?);
        Some(TlsFiles { cert: cert.into(), key: key.into() })
    }

    /// The collector of OpenTelemetry, if there is one.
    ///
    /// # Errors
    /// If the headers for it are none.
    #[cfg(feature = "otlp")]
    pub(crate) fn otlp(&self) -> Result<Option<sonometer_server::Otlp>, Failure> {
        let Some(endpoint) = self.given(Name::OtlpEndpoint) else { return Ok(None) };
        let headers = sonometer_server::Otlp::headers(self.text(Name::OtlpHeaders)).map_err(|message| {
            Failure::unusable(format!("{}: `otlp.headers`: {message}", self.source(Name::OtlpHeaders)))
        })?;
        Ok(Some(sonometer_server::Otlp {
            endpoint: endpoint.to_owned(),
            headers,
            service: self.text(Name::OtlpService).to_owned(),
            sample_percent: self.whole(Name::OtlpSamplePercent),
            metrics_every: Some(self.seconds(Name::OtlpMetricsSeconds)).filter(|every| !every.is_zero()),
            evaluations: self.is_on(Name::OtlpEvaluations),
        }))
    }

    pub(crate) fn retention(&self) -> Retention {
        Retention {
            results_days: self.whole(Name::ResultsDays),
            answers_days: self.whole(Name::AnswersDays),
            texts_days: self.whole(Name::TextsDays),
            audit_days: self.whole(Name::AuditDays),
        }
    }

    /// The keys that encrypt what is secret in the store.
    ///
    /// # Errors
    /// If the file cannot be read, or holds something that is no key.
    pub(crate) fn vault(&self) -> Result<Vault, Failure> {
        let (name, text) = match (self.given(Name::KeysFile), self.given(Name::KeysSecret)) {
            (Some(path), _) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    let source = self.source(Name::KeysFile);
                    let fix = "name a file with keys, as `sonometer admin new-key` prints them";
                    Failure::unusable(format!("{source}: `keys.file`: {path} cannot be read: {error}; {fix}"))
                })?;
                (path.to_owned(), text)
            }
            (None, Some(secret)) => {
                (format!("{}: `keys.secret`", self.source(Name::KeysSecret)), secret.replace(',', "\n"))
            }
            (None, None) => return Ok(Vault::default()),
        };
        Vault::read(&text).map_err(|message| Failure::unusable(format!("{name}: {message}")))
    }
}
