//! Every path of the service, once: the router and the OpenAPI document are made of this list.

use crate::dispatch::{self, State};
use crate::front::front;
use crate::{Control, request_id, respond};
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, on};
use sonometer_service::shape::Shape;
use sonometer_service::{Code, Refusal, Scope, Service, dive, request};

/// What an endpoint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Sense,
    Compare,
    SenseBatch,
    SenseStream,
    CheckFidelity,
    GetUsage,
    EstimateUsage,
    GetHistory,
    ListCharges,
    ExportCharges,
    GetStatus,
    GetCapabilities,
    ListProtocols,
    GetProtocol,
    ListMetrics,
    GetMetric,
    ListBlueprints,
    GetBlueprint,
    GetJob,
    ListJobs,
    CancelJob,
    OpenDive,
    StepInDive,
    CloseDive,
    GetDive,
    GetDiveStatus,
    ListKeys,
    Healthy,
    Ready,
    Figures,
    Document,
    Page,
}

impl Act {
    /// The groups of endpoints in the document, with what those of a group have in common.
    pub(crate) const FAMILIES: [(&'static str, &'static str); 6] = [
        (
            "Sensing",
            "Measures interactions. One ICS for each metamarker that triggers; the fidelity check is free.",
        ),
        (
            "Jobs",
            "Work that takes longer: batches of 50 and more, large files, and requests with a callback.",
        ),
        (
            "Dives",
            "The caller's agent acts in the world of a stage, turn by turn; a signed card records the result.",
        ),
        ("Usage", "ICS consumed, and what a request would consume."),
        ("Catalogue", "What can be measured with."),
        ("Service", "The service itself."),
    ];

    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Sense | Self::Compare | Self::SenseBatch | Self::SenseStream | Self::CheckFidelity => {
                "Sensing"
            }
            Self::GetJob | Self::ListJobs | Self::CancelJob => "Jobs",
            Self::OpenDive
            | Self::StepInDive
            | Self::CloseDive
            | Self::GetDive
            | Self::GetDiveStatus
            | Self::ListKeys => "Dives",
            Self::GetUsage
            | Self::EstimateUsage
            | Self::GetHistory
            | Self::ListCharges
            | Self::ExportCharges => "Usage",
            Self::ListProtocols
            | Self::GetProtocol
            | Self::ListMetrics
            | Self::GetMetric
            | Self::ListBlueprints
            | Self::GetBlueprint => "Catalogue",
            Self::GetStatus
            | Self::GetCapabilities
            | Self::Healthy
            | Self::Ready
            | Self::Figures
            | Self::Document
            | Self::Page => "Service",
        }
    }
}

/// Whether a token is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// It must be there, with this scope if one is named.
    Required(Option<Scope>),
    /// It may be left out; if it is there, it must be good.
    Optional,
    /// Nobody looks.
    Ignored,
}

/// One path with its method.
pub(crate) struct Endpoint {
    pub(crate) act: Act,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    pub(crate) token: Token,
    /// Whether it is a sensing endpoint, whose answers carry `X-ICS-Consumed` and `X-ICS-Remaining`.
    pub(crate) sensing: bool,
    pub(crate) body: Option<fn() -> Shape>,
    /// Whether the body may be left out.
    pub(crate) bodiless: bool,
    /// The schema of an answer that comes later, 202; empty: there is none.
    pub(crate) later: &'static str,
    pub(crate) query: &'static [&'static str],
    /// The schema of its answer; empty: no JSON.
    pub(crate) answer: &'static str,
    /// What it may refuse beyond what every endpoint of its kind may.
    pub(crate) refuses: &'static [Code],
    /// Whether an `Idempotency-Key` is heeded.
    pub(crate) repeatable: bool,
}

impl Endpoint {
    const fn get(act: Act, path: &'static str, answer: &'static str) -> Self {
        Self {
            act,
            method: "GET",
            path,
            about: "",
            token: Token::Required(Some(Scope::Read)),
            sensing: false,
            body: None,
            bodiless: false,
            later: "",
            query: &[],
            answer,
            refuses: &[],
            repeatable: false,
        }
    }

    const fn post(act: Act, path: &'static str, answer: &'static str, body: fn() -> Shape) -> Self {
        let get = Self::get(act, path, answer);
        Self { method: "POST", sensing: true, body: Some(body), ..get.scope(Scope::Sense) }
    }

    const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    const fn method(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    const fn token(self, token: Token) -> Self {
        Self { token, ..self }
    }

    const fn scope(self, scope: Scope) -> Self {
        self.token(Token::Required(Some(scope)))
    }

    const fn without_ics(self) -> Self {
        Self { sensing: false, ..self }
    }

    const fn bodiless(self) -> Self {
        Self { bodiless: true, ..self }
    }

    const fn later(self, later: &'static str) -> Self {
        Self { later, ..self }
    }

    const fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    const fn refuses(self, refuses: &'static [Code]) -> Self {
        Self { refuses, ..self }
    }

    const fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }

    /// The name of the parameter in the path, if there is one.
    pub(crate) fn parameter(&self) -> Option<&'static str> {
        self.path.split_once('{')?.1.split('}').next()
    }
}

const MEASURING: &[Code] =
    &[Code::TargetNotFound, Code::QuotaExhausted, Code::InsufficientSignal, Code::IdempotencyConflict];
const BATCHING: &[Code] = &[Code::TargetNotFound, Code::QuotaExhausted, Code::IdempotencyConflict];
const FINDING: &[Code] = &[Code::TargetNotFound];
const OPENING: &[Code] = &[
    Code::TargetNotFound,
    Code::AccessDenied,
    Code::QuotaExhausted,
    Code::AttemptsExhausted,
    Code::PasswordInvalid,
    Code::IdempotencyConflict,
];
const ACTING: &[Code] = &[
    Code::DiveNotFound,
    Code::DiveClosed,
    Code::TurnConflict,
    Code::QuotaExhausted,
    Code::ActionTooLong,
    Code::IdempotencyConflict,
];
const PAGING: &[&str] = &["limit", "offset"];
const CHARGES: &[&str] = &["period", "from", "until", "token", "target", "request_id", "limit", "cursor"];
const EXPORT: &[&str] = &["format", "period", "from", "until", "token", "target", "request_id"];

/// Every endpoint.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::post(Act::Sense, "/api/v1/sense", "Sense", request::sense_shape)
        .about("Measure one interaction; as a job if there is a callback or a large file.")
        .refuses(MEASURING)
        .repeatable()
        .later("Accepted"),
    Endpoint::post(Act::Compare, "/api/v1/sense/compare", "Compare", request::compare_shape)
        .about("Measure two interactions against the same target and return the differential.")
        .refuses(MEASURING)
        .repeatable(),
    Endpoint::post(Act::SenseStream, "/api/v1/sense/stream", "Event", request::stream_shape)
        .about(
            "Measure one interaction and send the results as Server-Sent Events: `resonance`, `fidelity`, \
             `complete`.",
        )
        .refuses(MEASURING)
        .repeatable(),
    Endpoint::post(Act::SenseBatch, "/api/v1/sense/batch", "Batch", request::batch_shape)
        .about("Measure several interactions against one target. All are charged, or none.")
        .refuses(BATCHING)
        .repeatable()
        .later("Queued"),
    Endpoint::post(Act::CheckFidelity, "/api/v1/fidelity/check", "FidelityCheck", request::fidelity_shape)
        .about("Check whether content holds sufficient signal. Costs no ICS.")
        .refuses(FINDING),
    Endpoint::get(Act::GetUsage, "/api/v1/usage", "Usage")
        .about("ICS consumption and quota of the current period."),
    Endpoint::post(Act::EstimateUsage, "/api/v1/usage/estimate", "Estimate", request::estimate_shape)
        .about("Estimate ICS before sensing. Costs no ICS.")
        .refuses(FINDING)
        .scope(Scope::Read)
        .without_ics(),
    Endpoint::get(Act::GetHistory, "/api/v1/usage/history", "History")
        .about("What was charged in a period, newest first.")
        .query(&["period", "limit", "offset"]),
    Endpoint::get(Act::ListCharges, "/api/v1/usage/charges", "Charges")
        .about(
            "Every measurement that was charged, with its request, token, target and metamarkers, \
             newest first.",
        )
        .query(CHARGES),
    Endpoint::get(Act::ExportCharges, "/api/v1/usage/export", "")
        .about(
            "The same as a file, oldest first: its sums are what the account had used when \
             the export began.",
        )
        .query(EXPORT),
    Endpoint::get(Act::GetStatus, "/api/v1/status", "Status")
        .about("Service status and token check.")
        .token(Token::Required(None)),
    Endpoint::get(Act::GetCapabilities, "/api/v1/capabilities", "Capabilities")
        .about("What the service can do.")
        .token(Token::Optional),
    Endpoint::get(Act::ListProtocols, "/api/v1/protocols", "Protocols")
        .about("Protocols available to the organization.")
        .query(&["status", "taxonomy", "limit", "offset"]),
    Endpoint::get(Act::GetProtocol, "/api/v1/protocols/{id}", "Protocol")
        .about("Public definition of one protocol.")
        .query(&["version"])
        .refuses(FINDING),
    Endpoint::get(Act::ListMetrics, "/api/v1/metrics", "Metrics")
        .about("Metrics available to the organization.")
        .query(PAGING),
    Endpoint::get(Act::GetMetric, "/api/v1/metrics/{id}", "Metric")
        .about("One metric.")
        .query(&["version"])
        .refuses(FINDING),
    Endpoint::get(Act::ListBlueprints, "/api/v1/blueprints", "Blueprints")
        .about("Blueprints available to the organization.")
        .query(PAGING),
    Endpoint::get(Act::GetBlueprint, "/api/v1/blueprints/{id}", "Blueprint")
        .about("One blueprint.")
        .query(&["version"])
        .refuses(FINDING),
    Endpoint::get(Act::ListJobs, "/api/v1/jobs", "Jobs")
        .about("The jobs of the account without their results, newest first.")
        .query(PAGING)
        .scope(Scope::Sense),
    Endpoint::get(Act::GetJob, "/api/v1/jobs/{id}", "Job")
        .about("Status and result of a job.")
        .refuses(&[Code::JobNotFound])
        .scope(Scope::Sense),
    Endpoint::get(Act::CancelJob, "/api/v1/jobs/{id}", "Job")
        .about("Cancel a job that has not ended.")
        .method("DELETE")
        .refuses(&[Code::JobNotFound])
        .scope(Scope::Sense),
    Endpoint::post(Act::OpenDive, "/api/v1/dive/open", "DiveOpen", dive::open_shape)
        .about("Open a dive. Access, metering, attempts and password are checked before there is a world.")
        .refuses(OPENING)
        .repeatable()
        .scope(Scope::Dive)
        .without_ics(),
    Endpoint::post(Act::StepInDive, "/api/v1/dive/{dive_id}/act", "DiveStep", dive::act_shape)
        .about("Take one action. The same turn with the same action gets the same answer and costs nothing.")
        .refuses(ACTING)
        .repeatable()
        .scope(Scope::Dive),
    Endpoint::post(Act::CloseDive, "/api/v1/dive/{dive_id}/close", "StageCard", dive::close_shape)
        .about("Close a dive and get its signed card; again: the same bytes.")
        .refuses(&[Code::DiveNotFound])
        .bodiless()
        .scope(Scope::Dive)
        .without_ics(),
    Endpoint::get(Act::GetDive, "/api/v1/dive/{dive_id}", "Dive")
        .about("The status of a dive and what its world showed last; the card once it is closed.")
        .refuses(&[Code::DiveNotFound])
        .scope(Scope::Dive),
    Endpoint::get(Act::GetDiveStatus, "/api/v1/dive/{dive_id}/status", "DiveStatus")
        .about("The status of a dive and its turns.")
        .refuses(&[Code::DiveNotFound])
        .scope(Scope::Dive),
    Endpoint::get(Act::ListKeys, "/api/v1/keys", "Keys")
        .about("The public keys that verify cards, the one that signs now first.")
        .token(Token::Ignored),
    Endpoint::get(Act::Healthy, "/healthz", "Health")
        .about("Whether the process answers.")
        .token(Token::Ignored),
    Endpoint::get(Act::Ready, "/readyz", "Health")
        .about("Whether requests can be answered: the database is there.")
        .token(Token::Ignored),
    Endpoint::get(Act::Figures, "/metrics", "")
        .about("Figures of the process, for Prometheus.")
        .token(Token::Ignored),
    Endpoint::get(Act::Document, "/openapi.json", "")
        .about("This description as data: OpenAPI 3.1.")
        .token(Token::Ignored),
    Endpoint::get(Act::Page, "/docs", "").about("This description as a page.").token(Token::Ignored),
];

/// The router of a service.
pub fn router(service: Service, control: &Control) -> Router {
    let state = State::new(service, control.clone());
    let mut router = Router::new();
    for endpoint in ENDPOINTS {
        let state = state.clone();
        let handler = move |request: Request| {
            let state = state.clone();
            async move { dispatch::run(state, endpoint, request).await }
        };
        router = router.route(endpoint.path, on(filter(endpoint.method), handler));
    }
    let service = state.service.clone();
    // For people who type the address of the service; no part of the interface.
    let home = move |headers: HeaderMap| {
        std::future::ready(respond::leads_to("/docs", &request_id::of(&headers, &service)))
    };
    let router = router.route("/", on(MethodFilter::GET, home));
    let methods = ENDPOINTS.iter().map(|endpoint| (endpoint.path, endpoint.method)).collect();
    finished(router, state.service, "/docs", methods, control.clone())
}

/// What a method of the list is for the router.
pub(crate) fn filter(method: &str) -> MethodFilter {
    match method {
        "GET" => MethodFilter::GET,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::POST,
    }
}

/// A router with the answers that no endpoint gives, and what stands before all of them. `page` is where the paths are described,
/// `methods` what each of them takes.
pub(crate) fn finished(
    router: Router,
    service: Service,
    page: &'static str,
    methods: Vec<(&'static str, &'static str)>,
    control: Control,
) -> Router {
    let lost = service.clone();
    let not_found = move |headers: HeaderMap| {
        let refusal = Refusal::new(Code::NotFound, format!("unknown path; see {page}"));
        std::future::ready(respond::refusal(&refusal, &request_id::of(&headers, &lost)))
    };
    let other_method = move |matched: Option<MatchedPath>, headers: HeaderMap| {
        let path = matched.as_ref().map_or("/", MatchedPath::as_str);
        let taken: Vec<&str> =
            methods.iter().filter(|(of, _)| *of == path).map(|(_, method)| *method).collect();
        let taken = if taken.is_empty() { "GET".to_owned() } else { taken.join(" or ") };
        let message = format!("wrong method for this path; send {taken}");
        let refusal = Refusal::new(Code::MethodNotAllowed, message);
        std::future::ready(respond::refusal(&refusal, &request_id::of(&headers, &service)))
    };
    let router = router.fallback(not_found).method_not_allowed_fallback(other_method);
    router.layer(from_fn_with_state(control, front))
}
