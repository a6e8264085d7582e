//! The paths of the administration, and what happens to each request.

use super::{Reload, document};
use crate::failures::Failures;
use crate::front::{Client, Known};
use crate::routes::{filter, finished};
use crate::{Control, Live, dispatch, request_id, respond};
use axum::body::Body;
use axum::extract::{Path, Request};
use axum::http::Response;
use axum::http::request::Parts;
use axum::routing::on;
use axum::{RequestPartsExt, Router};
use futures_util::FutureExt;
use serde_json::json;
use sonometer_service::administration::{Actor, Deed, Order, Task};
use sonometer_service::{Caller, Refusal, Scope, Service};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// What a path does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Do(Task),
    Reload,
    Document,
    Healthy,
}

pub(super) struct Endpoint {
    pub(super) act: Act,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) about: &'static str,
}

const fn get(task: Task, path: &'static str, about: &'static str) -> Endpoint {
    Endpoint { act: Act::Do(task), method: "GET", path, about }
}

const fn post(task: Task, path: &'static str, about: &'static str) -> Endpoint {
    Endpoint { act: Act::Do(task), method: "POST", path, about }
}

/// Every path.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    get(Task::Orgs, "/admin/v1/orgs", "The organizations."),
    post(Task::CreateOrg, "/admin/v1/orgs", "Make an organization, with a test and a live account."),
    get(Task::Accounts, "/admin/v1/orgs/{org}/accounts", "The accounts of an organization."),
    post(Task::SetAccount, "/admin/v1/orgs/{org}/accounts", "Change an account; what is left out stays."),
    get(
        Task::Tokens,
        "/admin/v1/orgs/{org}/tokens",
        "The tokens of an organization; never the tokens themselves.",
    ),
    post(Task::CreateToken, "/admin/v1/orgs/{org}/tokens", "Make a token; it is shown here and never again."),
    post(
        Task::RotateToken,
        "/admin/v1/tokens/{token}/rotate",
        "Make a token in the place of another, which stays good for a while.",
    ),
    post(Task::ExpireToken, "/admin/v1/tokens/{token}/expire", "Set when a token expires."),
    post(Task::RevokeToken, "/admin/v1/tokens/{token}/revoke", "Take a token back at once."),
    get(
        Task::Secrets,
        "/admin/v1/orgs/{org}/webhook-secrets",
        "What notifications are signed with now, the newest first; noted in the audit log.",
    ),
    post(
        Task::RotateSecret,
        "/admin/v1/orgs/{org}/webhook-secrets",
        "Make a new secret; the one before it signs beside it for a while.",
    ),
    get(
        Task::Deliveries,
        "/admin/v1/orgs/{org}/deliveries",
        "The latest notifications with every attempt, newest first.",
    ),
    post(
        Task::Redeliver,
        "/admin/v1/orgs/{org}/deliveries/{delivery}/redeliver",
        "Send a notification once more, at once.",
    ),
    get(Task::Shelf, "/admin/v1/orgs/{org}/shelf", "What an organization published."),
    post(Task::Publish, "/admin/v1/orgs/{org}/shelf", "Publish a protocol, metric, blueprint or stage."),
    post(
        Task::Archive,
        "/admin/v1/orgs/{org}/archive",
        "Archive a version; it stays callable by its exact version.",
    ),
    post(
        Task::StageAccess,
        "/admin/v1/orgs/{org}/stages/{stage}/access",
        "Say who may dive a stage; what is left out stays.",
    ),
    post(
        Task::Entitle,
        "/admin/v1/orgs/{org}/stages/{stage}/entitle",
        "Entitle another organization to a stage.",
    ),
    post(Task::Invite, "/admin/v1/orgs/{org}/stages/{stage}/invite", "Invite a token to a stage."),
    post(
        Task::OpenSession,
        "/admin/v1/orgs/{org}/stages/{stage}/sessions",
        "Open a session of a stage; whoever knows its id may dive.",
    ),
    get(Task::Keys, "/admin/v1/signing-keys", "The public keys that verify cards."),
    post(
        Task::RotateSigningKey,
        "/admin/v1/signing-keys/rotate",
        "Make a new key that signs cards; old cards stay valid.",
    ),
    post(Task::RotateKeys, "/admin/v1/rotate-keys", "Encrypt all secrets in the store with the newest key."),
    get(Task::Audit, "/admin/v1/audit", "Who administered what, when and from where, newest first."),
    get(Task::Check, "/admin/v1/check", "Compare every account with its ledger."),
    Endpoint {
        act: Act::Reload,
        method: "POST",
        path: "/admin/v1/reload",
        about: "Read the settings again, as SIGHUP does.",
    },
    Endpoint {
        act: Act::Document,
        method: "GET",
        path: "/openapi.json",
        about: "This description as data: OpenAPI 3.1.",
    },
    Endpoint { act: Act::Healthy, method: "GET", path: "/healthz", about: "Whether the process answers." },
];

impl Endpoint {
    /// Whether it needs a token.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.act, Act::Document | Act::Healthy)
    }

    /// The names of what stands in the path.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|part| part.split('}').next())
    }
}

#[derive(Clone)]
struct State {
    service: Service,
    control: Control,
    failures: Arc<Failures>,
    reload: Reload,
}

/// The router of the administration.
pub(crate) fn router(service: Service, control: &Control, reload: Reload) -> Router {
    // Pages of other origins have no business here, whatever holds for the service.
    let own = Control::new(Live { origins: Vec::new(), ..(*control.live()).clone() });
    let follow = own.clone();
    control.watch(move |live| follow.set(Live { origins: Vec::new(), ..live.clone() }));
    let state = State { service, control: own.clone(), failures: Arc::default(), reload };
    let mut router = Router::new();
    for endpoint in ENDPOINTS {
        let state = state.clone();
        let handler = move |request: Request| {
            let state = state.clone();
            async move { run(&state, endpoint, request).await }
        };
        router = router.route(endpoint.path, on(filter(endpoint.method), handler));
    }
    let methods = ENDPOINTS.iter().map(|endpoint| (endpoint.path, endpoint.method)).collect();
    finished(router, state.service, "/openapi.json", methods, own)
}

async fn run(state: &State, endpoint: &'static Endpoint, request: Request) -> Response<Body> {
    let request_id = request_id::of(request.headers(), &state.service);
    let announced = sonometer_listen::announced(request.headers());
    let (parts, body) = request.into_parts();
    let (mut body, mut caller) = (Some(body), None);
    let work = AssertUnwindSafe(answer(state, endpoint, parts, &mut body, &mut caller)).catch_unwind();
    let outcome = work.await.unwrap_or_else(|_| Err(Refusal::internal("an administration panicked")));
    if let (true, Some(rest)) = (outcome.is_err(), body.take()) {
        sonometer_listen::drain(rest, announced, dispatch::REST).await;
    }
    let mut response = match outcome {
        Ok(text) => respond::json(text, &request_id),
        Err(refusal) => respond::refusal(&refusal, &request_id),
    };
    if let Some(caller) = &caller {
        respond::window(&mut response, caller.window());
    }
    response.extensions_mut().insert(Known {
        route: endpoint.path,
        org: caller.as_ref().map(|caller| caller.org().to_owned()),
        token: caller.as_ref().map(|caller| caller.token().to_owned()),
        consumed: 0,
    });
    response
}

async fn answer(
    state: &State,
    endpoint: &'static Endpoint,
    mut parts: Parts,
    body: &mut Option<Body>,
    known: &mut Option<Caller>,
) -> Result<String, Refusal> {
    let State { service, control, failures, reload } = state;
    match endpoint.act {
        Act::Healthy => return Ok("{\"status\":\"ok\"}".to_owned()),
        Act::Document => return Ok(document().to_string()),
        Act::Do(_) | Act::Reload => {}
    }
    let live = control.live();
    let client = parts.extensions.get::<Client>().map(|client| client.0);
    let caller = failures.caller(service, &live.limits, client, dispatch::bearer(&parts.headers)).await?;
    *known = Some(caller.clone());
    caller.may(Some(Scope::Admin))?;
    let origin = client.map_or_else(String::new, |client| client.to_string());
    let actor = Actor { name: caller.token().to_owned(), origin };
    let Act::Do(task) = endpoint.act else {
        let deed = Deed { action: "settings.reload", org: "", subject: "" };
        let work = async { reload().map_err(|message| Refusal::invalid("", message)) };
        let named = |done: &super::Reloaded| Some(done.changed.join(", "));
        let done = service.noted(&actor, deed, work, named).await?;
        return Ok(json!({"changed": done.changed, "needs_restart": done.restart}).to_string());
    };
    let query = dispatch::query(&parts)?;
    let names = match endpoint.path.contains('{') {
        // What is no text in UTF-8 names nothing.
        true => parts
            .extract::<Path<Vec<(String, String)>>>()
            .await
            .map_or_else(|_| Vec::new(), |Path(names)| names),
        false => Vec::new(),
    };
    let body = match task.body() {
        Some(_) if dispatch::left_out(&parts.headers, body.as_ref()) => String::new(),
        Some(_) => dispatch::arrived(&parts.headers, body, &live.limits).await?,
        None => String::new(),
    };
    service.administer(&actor, Order { task, names: &names, query: &query, body: &body }).await
}
