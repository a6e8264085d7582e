//! What administration over the wire answers.

use crate::account::Standing;
use crate::period::iso;
use crate::store::{AuditLine, Delivery, OrgRow, StageRow, TargetRow, TokenRow};
use serde_json::{Value, json};

/// A moment; `null`: there is none.
pub(super) fn moment(ms: i64) -> Value {
    if ms == 0 { Value::Null } else { json!(iso(ms)) }
}

pub(super) fn org(org: &OrgRow) -> Value {
    json!({"id": org.id, "name": org.name, "created": iso(org.created_ms)})
}

/// Amounts are texts: no reader makes a rounded number of them.
pub(super) fn account(standing: &Standing) -> Value {
    let settings = &standing.settings;
    json!({
        "mode": standing.mode.as_str(),
        "tier": settings.tier,
        "quota": settings.quota,
        "overage": settings.overage,
        "rate_usd": settings.rate_usd.to_string(),
        "cap_usd": settings.cap_usd.map(|cap| cap.to_string()),
        "per_minute": settings.per_window,
        "period": standing.period.to_string(),
        "used": standing.used.units,
        "cost_usd": standing.used.cost_usd.to_string(),
    })
}

pub(super) fn token(token: &TokenRow) -> Value {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    json!({
        "id": token.id,
        "org": token.org,
        "mode": token.mode.as_str(),
        "name": token.name,
        "ending": token.ending,
        "scopes": scopes,
        "cap_usd": token.cap_usd.map(|cap| cap.to_string()),
        "created": iso(token.created_ms),
        "expires": moment(token.expires_ms),
        "revoked": moment(token.revoked_ms),
    })
}

pub(super) fn delivery(delivery: &Delivery) -> Value {
    let attempts: Vec<Value> = delivery
        .attempts
        .iter()
        .map(|attempt| {
            json!({
                "number": attempt.number,
                "at": iso(attempt.at_ms),
                "took_ms": attempt.took_ms,
                "status": Some(attempt.answered).filter(|status| *status > 0),
                "error": Some(&attempt.error).filter(|error| !error.is_empty()),
            })
        })
        .collect();
    json!({
        "id": delivery.id,
        "job": delivery.job,
        "url": delivery.url,
        "status": delivery.status,
        "next": if delivery.status == "waiting" { moment(delivery.next_ms) } else { Value::Null },
        "attempts": attempts,
    })
}

pub(super) fn target(row: &TargetRow) -> Value {
    let (kind, status) = (row.kind.as_str(), &row.status);
    json!({"kind": kind, "id": row.id, "version": row.version, "status": status, "digest": row.digest})
}

pub(super) fn stage(row: &StageRow) -> Value {
    json!({"kind": "stage", "id": row.id, "version": row.version, "status": row.status, "digest": row.digest})
}

pub(super) fn audit(line: &AuditLine) -> Value {
    json!({
        "id": line.id,
        "at": iso(line.at_ms),
        "actor": line.actor,
        "origin": line.origin,
        "action": line.action,
        "org": line.org,
        "subject": line.subject,
        "outcome": line.outcome,
    })
}
