//! The server as one client sees it: what it says of itself, and how its requests are answered.

use crate::answer::Refusal;
use crate::bench::Bench;
use crate::limits::{self, grouped};
use crate::tool::{Call, TOOLS};
use crate::works::Client;
use crate::{prompts, resources, sieve};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use std::sync::Arc;

/// The first words to a client.
const INSTRUCTIONS: &str = "Sonometer measures texts and conversations with protocols: sets of rules that find evidence in the words. The same input \
    gives the same bytes every time, and every number can be explained. `protocols` lists what can be measured with; `sense` measures; `explain` \
    says why. To write a protocol, start with the prompt `write-protocol`, or read the resource `sonometer://docs/protocol`, then use `check` and \
    `test` until nothing is found. Answers are short; `canonical: true` adds the exact JSON of the engine. What a protocol masks is never shown.";

/// What a client may ask for, besides the handshake.
const METHODS: [&str; 8] = [
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

/// The server for one client. Over HTTP, the client of a request is that of its connection.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    bench: Arc<Bench>,
    client: Client,
}

impl Server {
    pub(crate) fn new(bench: Arc<Bench>) -> Self {
        Self { bench, client: Client::new() }
    }

    /// Over HTTP the connection says who it is.
    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        parts.and_then(|parts| parts.extensions.get::<Client>()).unwrap_or(&self.client).clone()
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let Some(entry) = TOOLS.iter().find(|entry| entry.tool.name == request.name) else {
            return unknown(&request.name).into();
        };
        let client = self.client(&context);
        let (cancelled, stop) = (context.ct.clone(), context.ct.clone());
        let call = Call {
            bench: Arc::clone(&self.bench),
            client: client.clone(),
            stopped: Arc::new(move || stop.is_cancelled()),
        };
        let arguments = request.arguments.unwrap_or_default();
        let work = move || (entry.run)(&call, arguments);
        let done = self.bench.works.run(&client, async move { cancelled.cancelled().await }, work).await;
        match done.and_then(|answer| answer) {
            Ok(answer) => answer.into(),
            Err(refusal) => refusal.into(),
        }
    }
}

fn unknown(name: &str) -> Refusal {
    let names: Vec<&str> = TOOLS.iter().map(|entry| entry.tool.name.as_ref()).collect();
    let name = sonometer::diagnostic::excerpt(name);
    Refusal::invalid("", format!("no tool `{name}`; there is {}", names.join(", ")))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let server = Implementation::new("sonometer", env!("CARGO_PKG_VERSION")).with_title("Sonometer");
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|entry| entry.tool.clone()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|entry| entry.tool.name == name).map(|entry| entry.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(request, context).await.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // The first one reads what ships, which takes a while.
        let client = self.client(&context);
        let list = self.bench.works.run(&client, context.ct.cancelled(), resources::list).await;
        list.map(ListResourcesResult::with_all_items).map_err(Refusal::into_error)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (bench, client) = (Arc::clone(&self.bench), self.client(&context));
        let read = move || resources::read(&bench, &request.uri);
        let contents = self.bench.works.run(&client, context.ct.cancelled(), read).await;
        let contents = contents.and_then(|contents| contents);
        contents.map(|contents| ReadResourceResult::new(vec![contents]).into()).map_err(Refusal::into_error)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.as_ref()).map(Into::into).map_err(Refusal::into_error)
    }

    /// What the reader of standard input puts in the place of a message that cannot be read, and what has not the form of the protocol.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let why = request.params.as_ref().and_then(|params| params.get("why")?.as_str()).unwrap_or_default();
        Err(match request.method.as_str() {
            sieve::TOO_LARGE => {
                let message = format!(
                    "the message is larger than {} bytes, the limit; send a shorter text, or use the command `sonometer` with a file",
                    grouped(limits::MESSAGE_BYTES)
                );
                ErrorData::invalid_request(message, None)
            }
            sieve::UNREADABLE => sieve::unreadable(why),
            sieve::MISSHAPEN => sieve::no_request(why),
            // Requests of the protocol come here only if their parameters cannot be read.
            known if METHODS.contains(&known) => {
                let fix = "names are texts, and `arguments` is an object";
                ErrorData::invalid_params(
                    format!("the `params` of {known} have the wrong shape; {fix}"),
                    None,
                )
            }
            _ => ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("unknown method; there is {}", METHODS.join(", ")),
                None,
            ),
        })
    }
}
