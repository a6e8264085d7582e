//! The OpenAPI document as one page of HTML: no font, nothing from elsewhere, and one script, which lets a reader try what is
//! described. Without scripts it can be read all the same.

use crate::examples;
use crate::openapi::{document, headers, name};
use crate::routes::{Act, ENDPOINTS, Endpoint, Token};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::LazyLock;

const STYLE: &str = ":root{--ink:#1c2024;--soft:#5b6470;--line:#d9dee3;--back:#fff;--box:#f5f7f9;--link:#0b5cad;--get:#0b6e4f;\
    --post:#0b5cad;--delete:#a1260d}\
    @media(prefers-color-scheme:dark){:root{--ink:#dfe3e7;--soft:#9aa4af;--line:#343b42;--back:#16191c;--box:#20252a;--link:#7ab7f5;\
    --get:#5fcf9f;--post:#7ab7f5;--delete:#f08a72}}\
    *{box-sizing:border-box}body{font:16px/1.55 system-ui,sans-serif;max-width:58rem;margin:0 auto;padding:2rem 1rem 6rem;\
    color:var(--ink);background:var(--back)}a{color:var(--link)}h1{margin:0 0 .5rem}\
    h2{margin:3rem 0 .5rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}\
    article{border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin:1rem 0}h3{margin:0;font-size:1rem}\
    h4{margin:1rem 0 .3rem;font-size:.8rem;text-transform:uppercase;letter-spacing:.04em;color:var(--soft)}p{margin:.4rem 0}\
    code,pre{font:.86rem/1.45 ui-monospace,monospace}pre{background:var(--box);padding:.8rem;overflow:auto;border-radius:.3rem;\
    margin:.4rem 0}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .8rem .25rem 0;vertical-align:top;\
    border-bottom:1px solid var(--line);overflow-wrap:break-word}th{font-weight:600;color:var(--soft);font-size:.85rem}\
    td:last-child{overflow-wrap:anywhere}@media(min-width:30rem){td:first-child{white-space:nowrap}}\
    summary{cursor:pointer;color:var(--link)}.soft{color:var(--soft)}\
    .m{display:inline-block;min-width:3.9rem;font-weight:700;font-size:.85rem}.GET{color:var(--get)}.POST{color:var(--post)}\
    .DELETE{color:var(--delete)}nav td{border:0;padding:.1rem .8rem .1rem 0}.row{display:flex;gap:.8rem;align-items:center;margin:.3rem 0}\
    .row code{min-width:10rem}input,select,textarea,button{font:.86rem/1.45 ui-monospace,monospace;color:var(--ink);background:var(--box);\
    border:1px solid var(--soft);border-radius:.3rem;padding:.3rem .5rem}input{flex:1;min-width:0}textarea{width:100%}\
    button{cursor:pointer;margin:.3rem .5rem .3rem 0;color:var(--link);font-weight:700}[hidden]{display:none!important}";

const SCRIPT: &str = include_str!("docs/try.js");

/// What a browser may do with the page: run its script, ask this service, and nothing else.
pub(crate) fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let script = STANDARD.encode(Sha256::digest(SCRIPT));
        format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; connect-src 'self'; \
             form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        )
    });
    &POLICY
}

/// The page.
pub(crate) fn page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(write);
    &PAGE
}

fn write() -> String {
    let document = document();
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Sonometer API</title>\
         <style>{STYLE}</style></head><body><h1>Sonometer API <span class=\"soft\">{}</span></h1><p>{}</p>\
         <p>A request carries a token, <code>Authorization: Bearer …</code>, and its body is <code>application/json</code>. \
         Every answer has an <code>X-Request-Id</code>, every refusal the same <a href=\"#schema-Error\">envelope</a>. \
         The whole of it as data: <a href=\"/openapi.json\">openapi.json</a> (OpenAPI 3.1), from which generators make clients.</p>\
         <label id=\"with-token\" class=\"row\" hidden><code>token</code><input id=\"token\" type=\"password\" autocomplete=\"off\" \
         placeholder=\"sono_test_… for what is tried below; it stays in this page\"></label>",
        env!("CARGO_PKG_VERSION"),
        text(&document["info"]["description"])
    );
    contents(&mut html);
    for (family, about) in Act::FAMILIES {
        let _ = write!(html, "<h2 id=\"{family}\">{family}</h2><p>{}</p>", marked(about));
        for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.act.family() == family) {
            operation(&mut html, endpoint);
        }
    }
    html.push_str("<h2 id=\"Schemas\">Schemas</h2>");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let _ = write!(html, "<article id=\"schema-{name}\"><h3>{name}</h3>");
        folded(&mut html, "JSON Schema", schema);
        html.push_str("</article>");
    }
    let _ = write!(html, "<script>{SCRIPT}</script></body></html>");
    html
}

fn contents(html: &mut String) {
    html.push_str("<nav><table>");
    for (family, _) in Act::FAMILIES {
        for (at, endpoint) in ENDPOINTS.iter().filter(|endpoint| endpoint.act.family() == family).enumerate()
        {
            let first = if at == 0 { format!("<a href=\"#{family}\">{family}</a>") } else { String::new() };
            let _ = write!(
                html,
                "<tr><td>{first}</td><td>{} <a href=\"#{}\"><code>{}</code></a></td></tr>",
                method(endpoint),
                name(endpoint.act),
                escaped(endpoint.path)
            );
        }
    }
    html.push_str("</table></nav>");
}

fn method(endpoint: &Endpoint) -> String {
    format!("<span class=\"m {0}\">{0}</span>", endpoint.method)
}

fn operation(html: &mut String, endpoint: &Endpoint) {
    let operation = &document()["paths"][endpoint.path][endpoint.method.to_lowercase()];
    let token = match endpoint.token {
        Token::Required(Some(scope)) => format!("A token with the scope <code>{}</code>.", scope.as_str()),
        Token::Required(None) => "A token.".to_owned(),
        Token::Optional => "A token may be sent.".to_owned(),
        Token::Ignored => "No token.".to_owned(),
    };
    let _ = write!(
        html,
        "<article id=\"{}\"><h3>{} <code>{}</code></h3><p>{} <span class=\"soft\">{token}</span></p>",
        name(endpoint.act),
        method(endpoint),
        escaped(endpoint.path),
        marked(endpoint.about)
    );
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        html.push_str("<h4>Parameters</h4><table><tr><th>name</th><th>in</th><th>what</th></tr>");
        for parameter in parameters {
            let what = match parameter["in"].as_str() {
                Some("path") => "Which one.".to_owned(),
                _ => text(&parameter["description"]),
            };
            let _ = write!(
                html,
                "<tr><td><code>{}</code></td><td>{}</td><td>{what} {}</td></tr>",
                text(&parameter["name"]),
                text(&parameter["in"]),
                range(&parameter["schema"])
            );
        }
        html.push_str("</table>");
    }
    if endpoint.body.is_some() {
        html.push_str("<h4>Request</h4>");
        for (name, body) in examples::of(endpoint.act) {
            let body = serde_json::to_string_pretty(&body).unwrap_or_default();
            let curl = format!(
                "curl -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n  $BASE{} -d '{body}'",
                endpoint.path
            );
            let _ = write!(
                html,
                "<details><summary>Example: {name}</summary><pre>{}</pre></details>",
                escaped(&curl)
            );
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
        let _ = write!(html, "<p>Body: <a href=\"#schema-{name}\">{name}</a></p>");
    }
    answers(html, endpoint, operation);
    let _ = write!(
        html,
        "<details class=\"try\" data-operation=\"{}\" hidden><summary>Try it</summary></details>",
        name(endpoint.act)
    );
    let called = operation["callbacks"]["ended"]["{$request.body#/callback/url}"]["post"].as_object();
    if let Some(called) = called {
        let _ = write!(
            html,
            "<h4>Callback</h4><p>{} {}</p><table><tr><th>header</th><th>what</th></tr>",
            text(&called["summary"]),
            text(&called["description"])
        );
        for header in called["parameters"].as_array().into_iter().flatten() {
            let (name, about) = (text(&header["name"]), text(&header["description"]));
            let _ = write!(html, "<tr><td><code>{name}</code></td><td>{about}</td></tr>");
        }
        html.push_str("</table><p>Body: <a href=\"#schema-Notification\">Notification</a></p>");
    }
    html.push_str("</article>");
}

fn answers(html: &mut String, endpoint: &Endpoint, operation: &Value) {
    html.push_str("<h4>Answers</h4><table><tr><th>status</th><th>what</th></tr>");
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let schemas = answer["content"].as_object().into_iter().flatten().filter_map(|(media, content)| {
            let name = content["schema"]["$ref"].as_str()?.rsplit('/').next()?;
            let media =
                if media == "application/json" { String::new() } else { format!(" as <code>{media}</code>") };
            Some(format!("<a href=\"#schema-{name}\">{name}</a>{media}"))
        });
        let schemas: Vec<String> = schemas.collect();
        let about = if status == "200" { String::new() } else { text(&answer["description"]) };
        let _ = write!(html, "<tr><td>{status}</td><td>{about} {}</td></tr>", schemas.join(", "));
    }
    html.push_str("</table>");
    let headers = headers(endpoint);
    if headers.is_empty() {
        return;
    }
    html.push_str("<details><summary>Headers</summary><table>");
    for header in headers {
        let _ =
            write!(html, "<tr><td><code>{}</code></td><td>{}</td></tr>", header.name, marked(header.about));
    }
    html.push_str("</table></details>");
}

/// What a parameter may be, in a few words.
fn range(schema: &Value) -> String {
    let mut range = String::new();
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|word| format!("<code>{}</code>", text(word))).collect();
        range.push_str(&words.join(", "));
    }
    if let (Some(least), Some(most)) = (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        let _ = write!(range, "{least} to {most}");
    }
    match &schema["default"] {
        Value::Null => {}
        Value::String(word) => drop(write!(range, "; <code>{word}</code> without it")),
        other => drop(write!(range, "; {other} without it")),
    }
    format!("<span class=\"soft\">{range}</span>")
}

fn folded(html: &mut String, title: &str, schema: &Value) {
    let json = escaped(&serde_json::to_string_pretty(schema).unwrap_or_default());
    let _ = write!(html, "<details><summary>{title}</summary><pre>{}</pre></details>", linked(&json));
}

/// With references as links.
fn linked(json: &str) -> String {
    let mut html = String::with_capacity(json.len());
    let mut rest = json;
    const POINTER: &str = "#/components/schemas/";
    while let Some(at) = rest.find(POINTER) {
        let (before, from) = rest.split_at(at);
        let name: String = from[POINTER.len()..].chars().take_while(char::is_ascii_alphanumeric).collect();
        let end = POINTER.len() + name.len();
        let _ = write!(html, "{before}<a href=\"#schema-{name}\">{}</a>", &from[..end]);
        rest = &from[end..];
    }
    html + rest
}

fn text(value: &Value) -> String {
    marked(value.as_str().unwrap_or_default())
}

/// With what stands in backticks as code.
fn marked(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_there() {
        let page = page();
        let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let links: Vec<&str> =
            page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let mut different = ids.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), ids.len(), "a name is there once");
        assert!(links.len() > 60, "{}", links.len());
        for link in links {
            assert!(ids.contains(&link), "nothing is called {link}");
        }
        assert_eq!(marked("a `b<c` d"), "a <code>b&lt;c</code> d");
        // Browsers would have to fetch these.
        for outside in ["http://", "https://", "<script ", "<img", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_policy_lets_the_script_of_the_page_run_and_no_other() {
        let scripts: Vec<&str> = page().split("<script>").skip(1).collect();
        let [script] = scripts[..] else { panic!("{} scripts", scripts.len()) };
        let script = script.split("</script>").next().expect("it ends");
        let hash = STANDARD.encode(Sha256::digest(script));
        let allowed = format!("script-src 'sha256-{hash}';");
        assert!(policy().contains(&allowed), "{}", policy());
        let handlers = [" onclick=\"", " onload=\"", "javascript:"];
        assert!(handlers.iter().all(|handler| !page().contains(handler)));
    }
}
