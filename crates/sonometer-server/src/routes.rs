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
    const fn get(act: Act, path: &'static str, answer: &'static str, about: &'static str) -> Self {
        Self {
            act,
            method: "GET",
            path,
            about,
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

    const fn post(
        act: Act,
        path: &'static str,
        answer: &'static str,
        about: &'static str,
        body: fn() -> Shape,
    ) -> Self {
        Self {
            method: "POST",
            token: Token::Required(Some(Scope::Sense)),
            sensing: true,
            body: Some(body),
            ..Self::get(act, path, answer, about)
        }
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
const PAGING: &[&str] = &["limit", "offset"];
const CHARGES: &[&str] = &["period", "from", "until", "token", "target", "request_id", "limit", "cursor"];
const EXPORT: &[&str] = &["format", "period", "from", "until", "token", "target", "request_id"];

/// Every endpoint.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        refuses: MEASURING,
        repeatable: true,
        later: "Accepted",
        ..Endpoint::post(
            Act::Sense,
            "/api/v1/sense",
            "Sense",
            "Measure one interaction; as a job if there is a callback or a large file.",
            request::sense_shape,
        )
    },
    Endpoint {
        refuses: MEASURING,
        repeatable: true,
        ..Endpoint::post(
            Act::Compare,
            "/api/v1/sense/compare",
            "Compare",
            "Measure two interactions against the same target and return the differential.",
            request::compare_shape,
        )
    },
    Endpoint {
        refuses: MEASURING,
        repeatable: true,
        ..Endpoint::post(
            Act::SenseStream,
            "/api/v1/sense/stream",
            "Event",
            "Measure one interaction and send the results as Server-Sent Events: `resonance`, `fidelity`, `complete`.",
            request::stream_shape,
        )
    },
    Endpoint {
        refuses: BATCHING,
        repeatable: true,
        later: "Queued",
        ..Endpoint::post(
            Act::SenseBatch,
            "/api/v1/sense/batch",
            "Batch",
            "Measure several interactions against one target. All are charged, or none.",
            request::batch_shape,
        )
    },
    Endpoint {
        refuses: FINDING,
        ..Endpoint::post(
            Act::CheckFidelity,
            "/api/v1/fidelity/check",
            "FidelityCheck",
            "Check whether content holds sufficient signal. Costs no ICS.",
            request::fidelity_shape,
        )
    },
    Endpoint::get(
        Act::GetUsage,
        "/api/v1/usage",
        "Usage",
        "ICS consumption and quota of the current period.",
    ),
    Endpoint {
        refuses: FINDING,
        token: Token::Required(Some(Scope::Read)),
        sensing: false,
        ..Endpoint::post(
            Act::EstimateUsage,
            "/api/v1/usage/estimate",
            "Estimate",
            "Estimate ICS before sensing. Costs no ICS.",
            request::estimate_shape,
        )
    },
    Endpoint {
        query: &["period", "limit", "offset"],
        ..Endpoint::get(
            Act::GetHistory,
            "/api/v1/usage/history",
            "History",
            "What was charged in a period, newest first.",
        )
    },
    Endpoint {
        query: CHARGES,
        ..Endpoint::get(
            Act::ListCharges,
            "/api/v1/usage/charges",
            "Charges",
            "Every measurement that was charged, with its request, token, target and metamarkers, newest first.",
        )
    },
    Endpoint {
        query: EXPORT,
        ..Endpoint::get(
            Act::ExportCharges,
            "/api/v1/usage/export",
            "",
            "The same as a file, oldest first: its sums are what the account had used when the export began.",
        )
    },
    Endpoint {
        token: Token::Required(None),
        ..Endpoint::get(Act::GetStatus, "/api/v1/status", "Status", "Service status and token check.")
    },
    Endpoint {
        token: Token::Optional,
        ..Endpoint::get(
            Act::GetCapabilities,
            "/api/v1/capabilities",
            "Capabilities",
            "What the service can do.",
        )
    },
    Endpoint {
        query: &["status", "taxonomy", "limit", "offset"],
        ..Endpoint::get(
            Act::ListProtocols,
            "/api/v1/protocols",
            "Protocols",
            "Protocols available to the organization.",
        )
    },
    Endpoint {
        query: &["version"],
        refuses: FINDING,
        ..Endpoint::get(
            Act::GetProtocol,
            "/api/v1/protocols/{id}",
            "Protocol",
            "Public definition of one protocol.",
        )
    },
    Endpoint {
        query: PAGING,
        ..Endpoint::get(
            Act::ListMetrics,
            "/api/v1/metrics",
            "Metrics",
            "Metrics available to the organization.",
        )
    },
    Endpoint {
        query: &["version"],
        refuses: FINDING,
        ..Endpoint::get(Act::GetMetric, "/api/v1/metrics/{id}", "Metric", "One metric.")
    },
    Endpoint {
        query: PAGING,
        ..Endpoint::get(
            Act::ListBlueprints,
            "/api/v1/blueprints",
            "Blueprints",
            "Blueprints available to the organization.",
        )
    },
    Endpoint {
        query: &["version"],
        refuses: FINDING,
        ..Endpoint::get(Act::GetBlueprint, "/api/v1/blueprints/{id}", "Blueprint", "One blueprint.")
    },
    Endpoint {
        query: PAGING,
        token: Token::Required(Some(Scope::Sense)),
        ..Endpoint::get(
            Act::ListJobs,
            "/api/v1/jobs",
            "Jobs",
            "The jobs of the account without their results, newest first.",
        )
    },
    Endpoint {
        refuses: &[Code::JobNotFound],
        token: Token::Required(Some(Scope::Sense)),
        ..Endpoint::get(Act::GetJob, "/api/v1/jobs/{id}", "Job", "Status and result of a job.")
    },
    Endpoint {
        method: "DELETE",
        refuses: &[Code::JobNotFound],
        token: Token::Required(Some(Scope::Sense)),
        ..Endpoint::get(Act::CancelJob, "/api/v1/jobs/{id}", "Job", "Cancel a job that has not ended.")
    },
    Endpoint {
        refuses: &[
            Code::TargetNotFound,
            Code::AccessDenied,
            Code::QuotaExhausted,
            Code::AttemptsExhausted,
            Code::PasswordInvalid,
            Code::IdempotencyConflict,
        ],
        repeatable: true,
        token: Token::Required(Some(Scope::Dive)),
        sensing: false,
        ..Endpoint::post(
            Act::OpenDive,
            "/api/v1/dive/open",
            "DiveOpen",
            "Open a dive. Access, metering, attempts and password are checked before there is a world.",
            dive::open_shape,
        )
    },
    Endpoint {
        refuses: &[
            Code::DiveNotFound,
            Code::DiveClosed,
            Code::TurnConflict,
            Code::QuotaExhausted,
            Code::ActionTooLong,
            Code::IdempotencyConflict,
        ],
        repeatable: true,
        token: Token::Required(Some(Scope::Dive)),
        ..Endpoint::post(
            Act::StepInDive,
            "/api/v1/dive/{dive_id}/act",
            "DiveStep",
            "Take one action. The same turn with the same action gets the same answer and costs nothing.",
            dive::act_shape,
        )
    },
    Endpoint {
        refuses: &[Code::DiveNotFound],
        bodiless: true,
        token: Token::Required(Some(Scope::Dive)),
        sensing: false,
        ..Endpoint::post(
            Act::CloseDive,
            "/api/v1/dive/{dive_id}/close",
            "StageCard",
            "Close a dive and get its signed card; again: the same bytes.",
            dive::close_shape,
        )
    },
    Endpoint {
        refuses: &[Code::DiveNotFound],
        token: Token::Required(Some(Scope::Dive)),
        ..Endpoint::get(
            Act::GetDive,
            "/api/v1/dive/{dive_id}",
            "Dive",
            "The status of a dive and what its world showed last; the card once it is closed.",
        )
    },
    Endpoint {
        refuses: &[Code::DiveNotFound],
        token: Token::Required(Some(Scope::Dive)),
        ..Endpoint::get(
            Act::GetDiveStatus,
            "/api/v1/dive/{dive_id}/status",
            "DiveStatus",
            "The status of a dive and its turns.",
        )
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(
            Act::ListKeys,
            "/api/v1/keys",
            "Keys",
            "The public keys that verify cards, the one that signs now first.",
        )
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(Act::Healthy, "/healthz", "Health", "Whether the process answers.")
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(
            Act::Ready,
            "/readyz",
            "Health",
            "Whether requests can be answered: the database is there.",
        )
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(Act::Figures, "/metrics", "", "Figures of the process, for Prometheus.")
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(Act::Document, "/openapi.json", "", "This description as data: OpenAPI 3.1.")
    },
    Endpoint {
        token: Token::Ignored,
        ..Endpoint::get(Act::Page, "/docs", "", "This description as a page.")
    },
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
