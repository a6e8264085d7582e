//! The OpenAPI document as one page of HTML: no script, no font, nothing from elsewhere.

use crate::openapi::{document, headers, refusals};
use crate::respond::status;
use crate::routes::{ENDPOINTS, Token};
use crate::schemas;
use serde_json::Value;
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222;\
    background:#fff}h2{margin-top:2.5rem;font-size:1.1rem}code,pre{font:14px/1.4 ui-monospace,monospace}\
    pre{background:#f4f4f4;padding:.8rem;overflow:auto}td,th{text-align:left;padding:.2rem .8rem .2rem 0;\
    vertical-align:top}summary{cursor:pointer}.m{display:inline-block;min-width:3.2rem;font-weight:700}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}}";

/// The page.
pub(crate) fn page() -> String {
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Sonometer API</title>\
         <style>{STYLE}</style></head><body><h1>Sonometer API</h1><p>{}</p><p>As data: \
         <a href=\"/openapi.json\">openapi.json</a>.</p>",
        escaped(document()["info"]["description"].as_str().unwrap_or_default())
    );
    let components = schemas::components();
    for endpoint in ENDPOINTS {
        let token = match endpoint.token {
            Token::Required(Some(scope)) => {
                format!("A token with the scope <code>{}</code>.", scope.as_str())
            }
            Token::Required(None) => "A token.".to_owned(),
            Token::Optional => "A token may be sent.".to_owned(),
            Token::Ignored => "No token.".to_owned(),
        };
        let _ = write!(
            html,
            "<h2><span class=\"m\">{}</span> <code>{}</code></h2><p>{} {token}</p>",
            endpoint.method,
            escaped(endpoint.path),
            escaped(endpoint.about)
        );
        if let Some(shape) = endpoint.body {
            schema(&mut html, "Request", &shape().schema());
        }
        if !endpoint.query.is_empty() {
            let _ = write!(html, "<p>Query: <code>{}</code></p>", endpoint.query.join("</code>, <code>"));
        }
        if let Some(answer) = components.get(endpoint.answer) {
            schema(&mut html, "Answer", answer);
        }
        let _ = write!(html, "<p>Headers: ");
        for (name, _) in headers(endpoint) {
            let _ = write!(html, "<code>{name}</code> ");
        }
        let _ = write!(html, "<code>X-Request-Id</code></p><table><tr><th>status</th><th>code</th></tr>");
        for code in refusals(endpoint) {
            let _ = write!(
                html,
                "<tr><td>{}</td><td><code>{}</code></td></tr>",
                status(code).as_u16(),
                code.as_str()
            );
        }
        html.push_str("</table>");
    }
    html.push_str("<h2>Schemas</h2>");
    for name in ["Interaction", "Error"] {
        schema(&mut html, name, &components[name]);
    }
    html.push_str("</body></html>");
    html
}

fn schema(html: &mut String, title: &str, schema: &Value) {
    let text = serde_json::to_string_pretty(schema).unwrap_or_default();
    let _ = write!(html, "<details><summary>{title}</summary><pre>{}</pre></details>", escaped(&text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
