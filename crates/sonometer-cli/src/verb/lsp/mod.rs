//! `sonometer lsp`: a language server for protocol, metric, blueprint and stage files, over standard input and output.
//!
//! It knows what the command knows: findings of `check` with the changes that mend them, tests, the normal form of `fmt`, the table of
//! keys. Nothing is kept but the open files. One thread answers in order; while messages wait, findings of older texts are not computed.

mod completion;
mod document;
mod findings;
mod lenses;
mod symbols;
mod tokens;
mod wire;

use crate::failure::{Exit, Failure};
use document::{Columns, File};
use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use serde_json::{Value, json};
use sonometer_author::assist::{explain, names};
use sonometer_author::format;
use std::collections::BTreeMap;

/// Arguments of `lsp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Speak over standard input and output, which is also the default; many editors pass it
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Arguments) -> Result<Exit, Failure> {
    if crate::screen::typing() {
        return Err(Failure::unusable(
            "standard input: an editor starts `sonometer lsp` and speaks to it; docs/editors.md shows how to set one up",
        ));
    }
    let (connection, threads) = wire::connect();
    let ended = serve(&connection);
    // Its threads end when nothing can be sent to them any more.
    drop(connection);
    let exit = ended?;
    threads.join().map_err(|error| Failure::unusable(format!("standard input: {error}")))?;
    Ok(exit)
}

/// Ends with 0 after `shutdown`, and if the editor goes away; with 1 after an `exit` without it, as the protocol wants.
fn serve(connection: &Connection) -> Result<Exit, Failure> {
    let asked = match opening(connection) {
        Ok(asked) => asked,
        Err(exit) => return Ok(exit),
    };
    let parameters: lsp::InitializeParams = serde_json::from_value(asked.params)
        .map_err(|error| Failure::unusable(format!("standard input: initialize: {error}")))?;
    let columns = columns(&parameters);
    let answer = json!({
        "capabilities": capabilities(columns),
        "serverInfo": {"name": "sonometer", "version": env!("CARGO_PKG_VERSION")},
    });
    respond(connection, asked.id, Ok(answer));
    let mut server = Server { connection, columns, files: BTreeMap::new() };
    let mut is_shut = false;
    while let Ok(message) = connection.receiver.recv() {
        match message {
            Message::Request(request) if is_shut => {
                let told = format!("`{}` came after `shutdown`; only `exit` may follow", request.method);
                respond(connection, request.id, Err((ErrorCode::InvalidRequest, told)));
            }
            Message::Request(request) if request.method == lsp::request::Shutdown::METHOD => {
                is_shut = true;
                respond(connection, request.id, Ok(Value::Null));
            }
            Message::Request(request) => server.answer(request),
            Message::Notification(told) if is_exit(&told) => {
                return Ok(if is_shut { Exit::Done } else { Exit::Finding });
            }
            Message::Notification(notification) => server.hear(notification),
            Message::Response(_) => {}
        }
        if connection.receiver.is_empty() && !is_shut {
            server.publish();
        }
    }
    Ok(Exit::Done)
}

fn is_exit(told: &Notification) -> bool {
    told.method == lsp::notification::Exit::METHOD
}

/// The request that an editor begins with; how to end if it goes away before.
fn opening(connection: &Connection) -> Result<Request, Exit> {
    for message in &connection.receiver {
        match message {
            Message::Request(request) if request.method == lsp::request::Initialize::METHOD => {
                return Ok(request);
            }
            Message::Request(request) => {
                let told = format!("`{}` came before `initialize`", request.method);
                respond(connection, request.id, Err((ErrorCode::ServerNotInitialized, told)));
            }
            Message::Notification(told) if is_exit(&told) => return Err(Exit::Finding),
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Err(Exit::Done)
}

/// UTF-8 where the editor offers it, else UTF-16, which every editor knows.
fn columns(parameters: &lsp::InitializeParams) -> Columns {
    let offered =
        parameters.capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
    match offered.is_some_and(|offered| offered.contains(&lsp::PositionEncodingKind::UTF8)) {
        true => Columns::Utf8,
        false => Columns::Utf16,
    }
}

fn capabilities(columns: Columns) -> lsp::ServerCapabilities {
    use lsp::*;
    let encoding = match columns {
        Columns::Utf8 => PositionEncodingKind::UTF8,
        Columns::Utf16 => PositionEncodingKind::UTF16,
    };
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let tokens = SemanticTokensOptions {
        legend: SemanticTokensLegend { token_types: tokens::LEGEND.to_vec(), token_modifiers: Vec::new() },
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(["@", "<", ":", " "].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::SOURCE_FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![lenses::RUN.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(tokens)),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    columns: Columns,
    /// The open files by their addresses.
    files: BTreeMap<String, File>,
}

/// What a request can come to: its result, or why there is none.
type Answer = Result<Value, (ErrorCode, String)>;

impl Server<'_> {
    fn hear(&mut self, notification: Notification) {
        use lsp::notification::*;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(lsp::DidOpenTextDocumentParams { text_document: opened }) =
                    read(notification.params)
                else {
                    return;
                };
                let mut file = File::new(opened.uri, opened.version, opened.text, self.columns);
                lenses::run(&mut file);
                self.files.insert(file.uri.as_str().to_owned(), file);
            }
            DidChangeTextDocument::METHOD => {
                let Some(changed) = read::<lsp::DidChangeTextDocumentParams>(notification.params) else {
                    return;
                };
                let text = changed.content_changes.into_iter().next_back();
                let file = self.files.get_mut(changed.text_document.uri.as_str());
                if let (Some(file), Some(text)) = (file, text) {
                    file.set(changed.text_document.version, text.text);
                }
            }
            DidSaveTextDocument::METHOD => {
                let Some(saved) = read::<lsp::DidSaveTextDocumentParams>(notification.params) else { return };
                if let Some(file) = self.files.get_mut(saved.text_document.uri.as_str()) {
                    lenses::run(file);
                }
                // What others name may be this very file.
                self.files.values_mut().for_each(|file| file.changed = true);
                self.ask(lsp::request::CodeLensRefresh::METHOD);
            }
            DidCloseTextDocument::METHOD => {
                let Some(closed) = read::<lsp::DidCloseTextDocumentParams>(notification.params) else {
                    return;
                };
                if let Some(file) = self.files.remove(closed.text_document.uri.as_str()) {
                    self.send(
                        PublishDiagnostics::METHOD,
                        lsp::PublishDiagnosticsParams::new(file.uri, Vec::new(), None),
                    );
                }
            }
            _ => {}
        }
    }

    /// Sends the findings of what changed.
    fn publish(&mut self) {
        for file in self.files.values_mut().filter(|file| file.changed) {
            file.changed = false;
            let mut all = findings::of(file);
            all.extend(lenses::failures(file));
            let parameters = lsp::PublishDiagnosticsParams::new(file.uri.clone(), all, Some(file.version));
            send(self.connection, lsp::notification::PublishDiagnostics::METHOD, parameters);
        }
    }

    fn send(&self, method: &str, parameters: impl serde::Serialize) {
        send(self.connection, method, parameters);
    }

    /// Asks the editor for something whose answer does not matter.
    fn ask(&self, method: &str) {
        let request = Request::new(RequestId::from(method.to_owned()), method.to_owned(), Value::Null);
        let _ = self.connection.sender.send(Message::Request(request));
    }

    fn answer(&mut self, request: Request) {
        let id = request.id.clone();
        let answer = self.result(request);
        respond(self.connection, id, answer);
    }

    fn result(&mut self, request: Request) -> Answer {
        use lsp::request::*;
        match request.method.as_str() {
            Completion::METHOD => {
                let asked: lsp::CompletionParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position)?;
                answer(completion::at(file, at))
            }
            HoverRequest::METHOD => {
                let asked: lsp::HoverParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position_params)?;
                let found = crate::findings::findings(&file.source);
                let told = explain(&file.draft, at, &found, &|path| file.source.list_file(path));
                answer(told.map(|(value, span)| lsp::Hover {
                    contents: lsp::HoverContents::Markup(lsp::MarkupContent {
                        kind: lsp::MarkupKind::Markdown,
                        value,
                    }),
                    range: Some(file.range(span)),
                }))
            }
            GotoDefinition::METHOD => {
                let asked: lsp::GotoDefinitionParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position_params)?;
                answer(places(file, at, |name| name.is_definition))
            }
            References::METHOD => {
                let asked: lsp::ReferenceParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position)?;
                answer(places(file, at, |name| asked.context.include_declaration || !name.is_definition))
            }
            DocumentHighlightRequest::METHOD => {
                let asked: lsp::DocumentHighlightParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position_params)?;
                let shown = places(file, at, |_| true).into_iter();
                answer(
                    shown
                        .map(|place| lsp::DocumentHighlight { range: place.range, kind: None })
                        .collect::<Vec<_>>(),
                )
            }
            PrepareRenameRequest::METHOD => {
                let asked: lsp::TextDocumentPositionParams = parameters(request)?;
                let (file, at) = self.place(&asked)?;
                let names = names_of(file)?;
                answer(
                    names::at(&names, at)
                        .map(|name| json!({"range": file.range(name.span), "placeholder": name.text})),
                )
            }
            Rename::METHOD => {
                let asked: lsp::RenameParams = parameters(request)?;
                let (file, at) = self.place(&asked.text_document_position)?;
                answer(rename(file, at, asked.new_name.trim())?)
            }
            Formatting::METHOD => {
                let asked: lsp::DocumentFormattingParams = parameters(request)?;
                let file = self.file(&asked.text_document.uri)?;
                // With errors there is nothing to format, and they are shown already.
                let tidy = format(file.text(), &|path| file.source.list_file(path)).ok();
                let edit = tidy.filter(|tidy| tidy != file.text());
                answer(edit.map(|new_text| vec![lsp::TextEdit { range: file.whole(), new_text }]))
            }
            DocumentSymbolRequest::METHOD => {
                let asked: lsp::DocumentSymbolParams = parameters(request)?;
                answer(symbols::of(self.file(&asked.text_document.uri)?))
            }
            CodeActionRequest::METHOD => {
                let asked: lsp::CodeActionParams = parameters(request)?;
                let file = self.file(&asked.text_document.uri)?;
                let wants = |kind: &lsp::CodeActionKind| {
                    let only = asked.context.only.as_ref();
                    only.is_none_or(|only| {
                        only.iter().any(|wanted| kind.as_str().starts_with(wanted.as_str()))
                    })
                };
                let mut actions = Vec::new();
                if wants(&lsp::CodeActionKind::QUICKFIX) {
                    actions.extend(findings::actions(file, asked.range));
                }
                if wants(&lsp::CodeActionKind::SOURCE_FIX_ALL) {
                    actions.extend(findings::mend_all(file));
                }
                answer(actions)
            }
            CodeLensRequest::METHOD => {
                let asked: lsp::CodeLensParams = parameters(request)?;
                answer(lenses::of(self.file(&asked.text_document.uri)?))
            }
            ExecuteCommand::METHOD => {
                let asked: lsp::ExecuteCommandParams = parameters(request)?;
                self.execute(&asked)
            }
            SemanticTokensFullRequest::METHOD => {
                let asked: lsp::SemanticTokensParams = parameters(request)?;
                answer(tokens::of(self.file(&asked.text_document.uri)?))
            }
            unknown => Err((ErrorCode::MethodNotFound, format!("`{unknown}` is not supported"))),
        }
    }

    /// Runs the tests of a file, or says how those of one marker ended.
    fn execute(&mut self, asked: &lsp::ExecuteCommandParams) -> Answer {
        let known = asked.command == lenses::RUN;
        let uri = asked.arguments.first().and_then(Value::as_str).filter(|_| known);
        let Some(file) = uri.and_then(|uri| self.files.get_mut(uri)) else {
            let message = format!(
                "`{}` with these arguments is not supported; use `{}` with the address of an open file",
                asked.command,
                lenses::RUN
            );
            return Err((ErrorCode::InvalidParams, message));
        };
        lenses::run(file);
        file.changed = true;
        let message = lenses::summary(file, asked.arguments.get(1).and_then(Value::as_str));
        let typ = if message.contains("fail") { lsp::MessageType::WARNING } else { lsp::MessageType::INFO };
        self.send(
            lsp::notification::ShowMessage::METHOD,
            lsp::ShowMessageParams { typ, message: message.clone() },
        );
        self.ask(lsp::request::CodeLensRefresh::METHOD);
        answer(message)
    }

    fn file(&self, uri: &lsp::Uri) -> Result<&File, (ErrorCode, String)> {
        let unknown = || (ErrorCode::InvalidParams, format!("{} is not open", uri.as_str()));
        self.files.get(uri.as_str()).ok_or_else(unknown)
    }

    fn place(&self, asked: &lsp::TextDocumentPositionParams) -> Result<(&File, usize), (ErrorCode, String)> {
        let file = self.file(&asked.text_document.uri)?;
        Ok((file, file.offset(asked.position)))
    }
}

fn respond(connection: &Connection, id: RequestId, answer: Answer) {
    let answer = match answer {
        Ok(result) => Response::new_ok(id, result),
        Err((code, message)) => Response::new_err(id, code as i32, message),
    };
    // An editor that has gone away is noticed by the loop.
    let _ = connection.sender.send(Message::Response(answer));
}

fn send(connection: &Connection, method: &str, parameters: impl serde::Serialize) {
    // An editor that has gone away is noticed by the loop.
    let _ = connection.sender.send(Message::Notification(Notification::new(method.to_owned(), parameters)));
}

/// The parameters of a notification; one that cannot be read has nobody to answer to.
fn read<T: serde::de::DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}

fn parameters<T: serde::de::DeserializeOwned>(request: Request) -> Result<T, (ErrorCode, String)> {
    let method = request.method.clone();
    let (_, parameters) = request.extract(&method).map_err(|error| match error {
        ExtractError::JsonError { method, error } => (ErrorCode::InvalidParams, format!("{method}: {error}")),
        ExtractError::MethodMismatch(request) => (ErrorCode::InternalError, request.method),
    })?;
    Ok(parameters)
}

fn answer(result: impl serde::Serialize) -> Answer {
    serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

/// The names of a file without mistakes in its YAML.
fn names_of(file: &File) -> Result<Vec<names::Name>, (ErrorCode, String)> {
    let unread =
        || (ErrorCode::RequestFailed, "the file cannot be read; correct its errors first".to_owned());
    Ok(names::all(file.text(), file.tree().ok_or_else(unread)?, file.draft.keys()))
}

/// The places of the name at a byte that are wanted.
fn places(file: &File, at: usize, wanted: impl Fn(&names::Name) -> bool) -> Vec<lsp::Location> {
    let Ok(names) = names_of(file) else { return Vec::new() };
    let Some(name) = names::at(&names, at) else { return Vec::new() };
    let same = names::same(&names, name).filter(|name| wanted(name));
    same.map(|name| lsp::Location { uri: file.uri.clone(), range: file.range(name.span) }).collect()
}

fn rename(file: &File, at: usize, new: &str) -> Result<lsp::WorkspaceEdit, (ErrorCode, String)> {
    let names = names_of(file)?;
    let failed = |message: String| (ErrorCode::RequestFailed, message);
    let name = names::at(&names, at).ok_or_else(|| {
        failed(
            "there is no name of a marker or list here; place the cursor on a label or an `@name`".to_owned(),
        )
    })?;
    let is_name = !new.is_empty()
        && new.len() <= 64
        && new.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
    if !is_name {
        return Err(failed(format!(
            "`{new}` is not a name; use 1 to 64 lower-case letters, digits, `-` and `_`"
        )));
    }
    if names.iter().any(|other| {
        other.named == name.named && other.is_definition && other.text == new && new != name.text
    }) {
        return Err(failed(format!("`{new}` exists already; choose another name")));
    }
    let edits = names::same(&names, name)
        .map(|name| lsp::TextEdit { range: file.range(name.span), new_text: new.to_owned() });
    Ok(findings::changes(file, edits.collect()))
}
