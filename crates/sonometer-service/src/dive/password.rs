//! Passwords of stages: argon2id, few at a time, and few tries for each token.

use super::access::Seen;
use crate::refusal::{Code, Refusal};
use crate::{Caller, Service};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// So many wrong ones within [`WINDOW_MS`] for each stage and token; more are not even looked at.
const TRIES: u64 = 5;
const WINDOW_MS: i64 = 15 * 60 * 1_000;

/// What stands in the place of a verifier where nobody is asked, whatever the file says.
pub(super) const NONE: &str = "none";

/// What is kept of a password.
pub(super) fn verifier(password: &str) -> Result<String, Refusal> {
    let made = Argon2::default().hash_password(password.as_bytes());
    made.map(|hash| hash.to_string()).map_err(|error| Refusal::internal(&format!("no hash: {error}")))
}

fn is_right(verifier: &str, password: &str) -> bool {
    PasswordHash::new(verifier)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

impl Service {
    /// Asks for the password of a stage, if it has one. A missing one and a wrong one have the same answer.
    pub(super) async fn ask_password(
        &self,
        caller: &Caller,
        seen: &Seen,
        given: Option<String>,
    ) -> Result<(), Refusal> {
        let verifier = match seen.says.password.as_str() {
            NONE => return Ok(()),
            "" if !seen.stage.publication.password => return Ok(()),
            // A stage whose file asks for one that nobody has set lets nobody in: no text is a verifier of "".
            verifier => verifier.to_owned(),
        };
        let (stage, now) = (format!("{}/{}", seen.owner, seen.stage.id), self.now_ms());
        let (store, since) = (&self.inner.store, now.saturating_sub(WINDOW_MS));
        // Noted before it is looked at, or many at once would have many tries.
        let place = self.place_to_write(caller.org()).await?;
        let oldest = store.try_password(&self.id("try"), &stage, caller.token(), TRIES, since, now).await?;
        drop(place);
        if let Some(oldest) = oldest {
            let left = oldest.saturating_add(WINDOW_MS).saturating_sub(now);
            let message = format!("{TRIES} wrong passwords; try again later");
            let refusal = Refusal::new(Code::RateLimited, message).because("password_tries");
            let retry_after = u64::try_from(left).unwrap_or(0).div_ceil(1_000).max(1);
            return Err(Refusal { retry_after, ..refusal });
        }
        let right = match given {
            None => false,
            Some(given) => {
                let full = |_| Refusal::unavailable("too many passwords at once");
                let _place = self.inner.dives.hashing.place(caller.org(), 1).await.map_err(full)?;
                let checked = tokio::task::spawn_blocking(move || is_right(&verifier, &given));
                checked.await.map_err(|error| Refusal::internal(&error.to_string()))?
            }
        };
        match right {
            true => store.forget_tries(&stage, caller.token()).await,
            false => Err(Refusal::new(Code::PasswordInvalid, "the password of the stage is wrong")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_again_and_nothing_else_is() {
        let kept = verifier("three wrong bills").expect("can be made");
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && !kept.contains("bills"), "{kept}");
        assert!(is_right(&kept, "three wrong bills"));
        for (verifier, password) in [(&*kept, "three wrong bill"), (&kept, ""), ("", ""), (NONE, "none")] {
            assert!(!is_right(verifier, password), "{password}");
        }
        assert_ne!(verifier("three wrong bills").expect("can be made"), kept, "each has a salt of its own");
    }
}
