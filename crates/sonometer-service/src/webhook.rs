//! Notifications of jobs that have ended: signed by the rules of Standard Webhooks, tried again with growing pauses, logged.

use crate::Service;
use crate::period::iso;
use crate::ports::Call;
use crate::refusal::Refusal;
use crate::store::{Attempt, DELIVERIES_FULL, Delivery, Due, PLANS};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::Sha256;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use tokio::time::sleep;

/// The pauses before the second attempt and those behind it, in milliseconds.
const PAUSES_MS: [i64; PLANS - 1] = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000];
/// Up to so much is added to a pause, in hundredths of it, so that what failed together is not tried together.
const JITTER: u64 = 20;
/// So far may the clocks of nodes be apart before one takes the plans of another for wrong.
const CLOCKS_APART_MS: i64 = 60_000;
/// How long a claim lasts; an attempt takes less.
pub(crate) const LEASE_MS: i64 = 60_000;
/// So many are under way at once: calls that wait for receivers, not work.
const AT_ONCE: usize = 32;
/// So many of them to receivers of one organization: where a call is free, at most [`DELIVERIES_FULL`] have their share.
const OF_ONE: usize = AT_ONCE / (DELIVERIES_FULL + 1);
/// How often somebody looks for what is due.
const LOOK: Duration = Duration::from_millis(500);
/// How long an old secret signs beside the new one.
const OVERLAP_MS: i64 = 24 * 3_600 * 1_000;

#[derive(Serialize)]
struct Payload<'a> {
    r#type: &'static str,
    timestamp: String,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    job_id: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Box<RawValue>>,
}

/// The signature of a message: `v1,…`.
fn signature(secret: &str, id: &str, seconds: i64, body: &str) -> Option<String> {
    let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// The body of a notification: the same in every attempt.
fn payload(due: &Due) -> String {
    let completed = due.job_status == "completed";
    let raw = |wanted: bool| wanted.then(|| RawValue::from_string(due.result.clone()).ok()).flatten();
    crate::json::text(&Payload {
        r#type: if completed { "sense.complete" } else { "sense.error" },
        timestamp: iso(due.job_ended_ms),
        data: Data {
            job_id: &due.job,
            status: &due.job_status,
            result: raw(completed),
            error: raw(!completed),
        },
    })
}

impl Service {
    /// The secret with which notifications of an organization are signed, `whsec_…`; it is made where there is none.
    ///
    /// # Errors
    /// `invalid_request` if there is no such organization, `unavailable`.
    pub async fn webhook_secret(&self, org: &str) -> Result<String, Refusal> {
        self.known_org(org).await?;
        Ok(self.signing(org).await?.swap_remove(0))
    }

    /// A new secret. The one before it signs beside it for a day, so that receivers can change over.
    ///
    /// # Errors
    /// As [`Service::webhook_secret`].
    pub async fn rotate_webhook_secret(&self, org: &str) -> Result<String, Refusal> {
        self.rotate_webhook_secret_after(org, OVERLAP_MS).await
    }

    /// As [`Service::rotate_webhook_secret`], with another time for the one before it. Two sign at most: one that was on its way
    /// out already ends at once.
    ///
    /// # Errors
    /// As [`Service::webhook_secret`], and if one that would sign on cannot be read: then nothing changes.
    pub async fn rotate_webhook_secret_after(&self, org: &str, overlap_ms: i64) -> Result<String, Refusal> {
        self.known_org(org).await?;
        let now = self.now_ms();
        if overlap_ms > 0 {
            // One that signs on must be readable: with it, nothing could be signed, nor the new one be shown.
            self.store().secrets(org, now).await?;
        }
        let secret = self.new_secret()?;
        self.store().add_secret(org, &secret, now, now.saturating_add(overlap_ms), false).await?;
        Ok(secret)
    }

    /// Sends a notification once more, at once, whether or not it was delivered; then with the usual pauses. `org` is whose it is;
    /// empty: of any organization.
    ///
    /// # Errors
    /// `invalid_request` if there is no such notification.
    pub async fn redeliver(&self, org: &str, id: &str) -> Result<(), Refusal> {
        crate::text::check("id", id)?;
        if !self.store().redeliver(org, id, self.now_ms()).await? {
            let message = format!("there is no notification `{}` to send again", crate::refusal::shown(id));
            return Err(Refusal::invalid("", message));
        }
        self.inner.mail_there.notify_one();
        Ok(())
    }

    /// The latest notifications of an organization with their attempts, newest first.
    ///
    /// # Errors
    /// As [`Service::webhook_secret`].
    pub async fn deliveries(&self, org: &str, limit: u64) -> Result<Vec<Delivery>, Refusal> {
        self.known_org(org).await?;
        self.store().deliveries(org, limit).await
    }

    fn new_secret(&self) -> Result<String, Refusal> {
        Ok(format!("whsec_{}", STANDARD.encode(self.inner.ids.secret()?)))
    }

    /// The secrets that sign now, at least one.
    pub(crate) async fn signing(&self, org: &str) -> Result<Vec<String>, Refusal> {
        let now = self.now_ms();
        let secrets = self.store().secrets(org, now).await?;
        if !secrets.is_empty() {
            return Ok(secrets);
        }
        self.store().add_secret(org, &self.new_secret()?, now, now, true).await?;
        let secrets = self.store().secrets(org, now).await?;
        if secrets.is_empty() {
            Err(Refusal::internal("a secret was made and is not there"))
        } else {
            Ok(secrets)
        }
    }

    /// Delivers what is due until `stop` is set; calls that are under way then are finished.
    pub async fn deliver(self, mut stop: watch::Receiver<bool>) {
        let worker = self.id("wrk");
        let mut under_way = JoinSet::new();
        let mut orgs: HashMap<task::Id, String> = HashMap::new();
        while !*stop.borrow_and_update() {
            while let Some(ended) = under_way.try_join_next_with_id() {
                orgs.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
            orgs.values().for_each(|org| *calls.entry(org).or_default() += 1);
            let mut full = [""; DELIVERIES_FULL];
            let of_full = calls.iter().filter(|(_, count)| **count >= OF_ONE).map(|(org, _)| *org);
            full.iter_mut().zip(of_full).for_each(|(place, org)| *place = org);
            let claimed = match under_way.len() {
                AT_ONCE.. => Ok(None),
                _ => self.store().claim_delivery(&worker, self.now_ms(), LEASE_MS, &full).await,
            };
            if let Ok(Some(due)) = claimed {
                let (service, worker, org) = (self.clone(), worker.clone(), due.org.clone());
                let task = under_way.spawn(async move { service.deliver_one(&worker, due).await });
                orgs.insert(task.id(), org);
                continue;
            }
            tokio::select! {
                () = self.inner.mail_there.notified() => {}
                () = sleep(LOOK) => {}
                _ = stop.changed() => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// Makes notifications due that a clock planned which was ahead; how many.
    pub(crate) async fn end_late_plans(&self) -> Result<u64, Refusal> {
        let longest = |pause: i64| pause + pause * i64::try_from(JITTER).unwrap_or(0) / 100;
        let mut furthest = [CLOCKS_APART_MS; PLANS];
        furthest[1..].iter_mut().zip(PAUSES_MS).for_each(|(ahead, pause)| *ahead += longest(pause));
        self.store().plan_anew(self.now_ms(), &furthest).await
    }

    async fn deliver_one(&self, worker: &str, due: Due) {
        let event = if due.job_status == "completed" { "complete" } else { "error" };
        let now = self.now_ms();
        let ended = if due.events.split(' ').any(|asked| asked == event) {
            let began = std::time::Instant::now();
            let outcome = self.attempt(&due, now).await;
            let took_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
            let (answered, error) = match outcome {
                Ok(answered) => (answered, String::new()),
                Err(error) => (0, error),
            };
            let number = due.attempts;
            let pause = usize::try_from(number.saturating_sub(1)).ok().and_then(|at| PAUSES_MS.get(at));
            let (status, next_ms) = match (answered, pause) {
                (200..=299, _) => ("delivered", 0),
                (410, _) => ("gone", 0),
                (_, Some(pause)) => ("waiting", now.saturating_add(self.stretched(*pause))),
                (_, None) => ("failed", 0),
            };
            tracing::info!(
                delivery = due.id,
                job = due.job,
                org = due.org,
                number,
                answered,
                status,
                error,
                "notified"
            );
            let attempt = Attempt { number, at_ms: now, took_ms, answered, error };
            self.store().delivered(&due, worker, Some(attempt), status, next_ms, now).await
        } else {
            self.store().delivered(&due, worker, None, "skipped", 0, now).await
        };
        if let Err(refusal) = ended {
            tracing::warn!(delivery = due.id, %refusal, "a notification could not be ended; its claim will");
        }
    }

    /// A pause with something added by chance.
    fn stretched(&self, pause_ms: i64) -> i64 {
        let chance = self.inner.ids.secret().map_or(0, |secret| u64::from(secret[0]));
        let hundredths = i64::try_from(chance * JITTER / 255).unwrap_or(0);
        pause_ms + pause_ms * hundredths / 100
    }

    /// The status of the answer, or why there is none.
    async fn attempt(&self, due: &Due, now_ms: i64) -> Result<u16, String> {
        let body = payload(due);
        let secrets = self.signing(&due.org).await.map_err(|refusal| refusal.to_string())?;
        let seconds = now_ms.div_euclid(1_000);
        let signatures: Vec<_> =
            secrets.iter().filter_map(|secret| signature(secret, &due.id, seconds, &body)).collect();
        let (timestamp, signature) = (seconds.to_string(), signatures.join(" "));
        let headers = [
            ("webhook-id", due.id.as_str()),
            ("webhook-timestamp", timestamp.as_str()),
            ("webhook-signature", signature.as_str()),
        ];
        self.inner.callbacks.post(Call { url: &due.url, headers: &headers, body: &body }).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_published_example() {
        let signed = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert_eq!(signature("no secret", "msg_1", 0, ""), None);
    }
}
