//! The endpoint for LiteLLM, and the report of each exchange.

use crate::provider::{MASK, ask, serve};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{sleep, timeout};

#[tokio::test(flavor = "multi_thread")]
async fn litellm_is_answered() {
    let (address, _, _) = serve(MASK).await;
    let ask = async |body: &str| {
        let (head, body, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", body).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
        serde_json::from_str::<serde_json::Value>(&body).expect("is JSON")
    };
    let answer =
        ask(r#"{"input_type":"request","texts":["I am ann@example.org","no"],"litellm_call_id":"1"}"#).await;
    assert_eq!(
        (answer["action"].as_str(), &answer["texts"]),
        (Some("GUARDRAIL_INTERVENED"), &serde_json::json!(["I am ***@*******.***", "no"]))
    );
    assert_eq!(ask(r#"{"input_type":"request","texts":["Hello."],"images":[]}"#).await["action"], "NONE");
    assert_eq!(ask(r#"{"input_type":"request","texts":[],"images":["x"]}"#).await["action"], "BLOCKED");
    let call = r#"{"input_type":"response","texts":[],"tool_calls":[{"function":{"arguments":"{\"a\":\"ann@example.org\"}"}}]}"#;
    assert_eq!(ask(call).await["action"], "BLOCKED");
    let custom =
        r#"{"input_type":"response","tool_calls":[{"type":"custom","custom":{"input":"ann@example.org"}}]}"#;
    assert_eq!(ask(custom).await["action"], "BLOCKED");
    assert_eq!(
        ask(r#"{"input_type":"response","tool_calls":[{"type":"other","x":"a"}]}"#).await["action"],
        "BLOCKED"
    );
    assert_eq!(
        ask(r#"{"input_type":"response","tool_calls":[{"function":{"name":"n"}}]}"#).await["action"],
        "NONE"
    );
    // Descriptions of tools are texts of the request.
    let tools = r#"{"input_type":"request","texts":["Hello."],"tools":[{"type":"function","function":{"name":"n","description":"Ask ann@example.org","parameters":{}}}]}"#;
    let answer = ask(tools).await;
    assert_eq!(answer["tools"][0]["function"]["description"], "Ask ***@*******.***");
    assert_eq!(answer["texts"], serde_json::json!(["Hello."]));
    // Numbers in them are bounds, whatever they look like.
    let bounds = r#"{"input_type":"request","texts":[],"tools":[{"type":"function","function":{"name":"n","parameters":{"maximum":2147483647}}}]}"#;
    assert_eq!(ask(bounds).await["action"], "NONE");
    // An answer that streams is sent again from its beginning.
    let text = "Write to ann@example.org or call.";
    let mut fixed = String::new();
    for end in 1..=text.len() {
        let body =
            serde_json::json!({"input_type": "response", "texts": [&text[..end]], "litellm_call_id": "2"});
        let answer = ask(&body.to_string()).await;
        let shown = answer["texts"][0].as_str().unwrap_or(&text[..end]);
        let held = answer["stream_holdback_chars"][0].as_u64().unwrap_or(0) as usize;
        let now = &shown[..shown.len() - held];
        assert!(now.starts_with(&fixed) && "Write to ***@*******.*** or call.".starts_with(now), "{now}");
        fixed = now.to_owned();
    }
    assert!(fixed.starts_with("Write to ***@*******.***"), "{fixed}");
}

/// Rules that refuse are asked for each text, whether LiteLLM can show it or not.
#[tokio::test(flavor = "multi_thread")]
async fn rules_that_block_refuse_for_litellm() {
    let (address, _, _) = serve(r#"{"rules":[{"action":"block","target":"personal-data"}]}"#).await;
    for input in ["request", "response"] {
        let call = r#"[{"function":{"arguments":"{\"a\":\"ann@example.org\"}"}}]"#;
        for (more, action) in [
            (r#""texts":["I am ann@example.org"]"#.to_owned(), "BLOCKED"),
            (r#""texts":["I am ann@example.org"],"litellm_call_id":"1""#.to_owned(), "BLOCKED"),
            (format!(r#""tool_calls":{call}"#), "BLOCKED"),
            (r#""texts":["Hello."]"#.to_owned(), "NONE"),
        ] {
            let body = format!(r#"{{"input_type":"{input}",{more}}}"#);
            let (_, answer, _) = ask(address, "POST", "/beta/litellm_basic_guardrail_api", "", &body).await;
            assert!(answer.contains(&format!(r#""action":"{action}""#)), "{body} {answer}");
        }
    }
}

/// A report of an exchange has what was measured, of whole answers and of streams, and the trace of the request, but no text.
#[tokio::test(flavor = "multi_thread")]
async fn exchanges_that_are_over_are_reported() {
    let policy =
        r#"{"rules":[{"action":"mask","target":"personal-data"},{"action":"sense","target":"courtesy"}]}"#;
    let (address, proxy, _) = serve(policy).await;
    let told: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let to = Arc::clone(&told);
    proxy.observe(move |ended| {
        let trace = ended.trace.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert_eq!(ended.policy.len(), 16);
        to.lock().expect("is sound").push((trace.to_owned(), format!("{:?}", ended.report)));
    });
    for stream in ["", "\"stream\":true,"] {
        let body = format!(
            "{{{stream}\"messages\":[{{\"role\":\"user\",\"content\":\"Thank you so much for all of your help, bob@example.net\"}}]}}"
        );
        let headers = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nauthorization: Bearer k\r\n";
        let (head, _, _) = ask(address, "POST", "/v1/chat/completions", headers, &body).await;
        assert!(head.contains("x-sonometer-scores: courtesy="), "{head}");
    }
    let all_reported = async {
        while told.lock().expect("is sound").len() < 2 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), all_reported).await.expect("both are reported");
    for (trace, report) in told.lock().expect("is sound").iter() {
        assert!(trace.starts_with("00-4bf9"), "{trace}");
        assert!(report.contains("on: Request") && report.contains("on: Response"), "{report}");
        assert!(report.contains("gratitude 0:0-"), "{report}");
        assert!(!report.contains("bob") && !report.contains("Thank"), "{report}");
    }
}
