// "Try it": a form below each operation, made of the description itself. The token stays in this page; it is not stored.
"use strict";
(() => {
  const token = document.getElementById("token");
  document.getElementById("with-token").hidden = false;

  let asked;
  const description = () => (asked ??= fetch("/openapi.json").then((answer) => answer.json()));

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const find = (document, id) => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.operationId === id) return { path, method: method.toUpperCase(), operation };
      }
    }
    throw new Error(`the description has no operation ${id}`);
  };

  // One row: a label and its field.
  const row = (name, about, field) =>
    make("label", { className: "row", title: about ?? "" }, make("code", { textContent: name }), field);

  const fieldOf = (parameter) => {
    const { enum: words, default: usual } = parameter.schema;
    if (words) {
      const options = ["", ...words].map((word) => make("option", { value: word, textContent: word }));
      return make("select", {}, ...options);
    }
    return make("input", {
      value: parameter.example ?? "",
      placeholder: usual === undefined ? "" : String(usual),
      required: parameter.required === true,
      autocomplete: "off",
      spellcheck: false,
    });
  };

  const shown = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  // Writes what comes, event by event if it is a stream.
  const write = async (answer, out) => {
    const media = answer.headers.get("content-type") ?? "";
    // A table in Parquet, say, is no text.
    if (media !== "" && !/text|json/.test(media)) {
      out.textContent = `${(await answer.arrayBuffer()).byteLength} bytes of ${media}`;
      return;
    }
    if (!media.startsWith("text/event-stream")) {
      out.textContent = shown(await answer.text());
      return;
    }
    const decoder = new TextDecoder();
    const reader = answer.body.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      out.append(decoder.decode(value, { stream: true }));
    }
  };

  const build = (place, { path, method, operation }) => {
    const fields = (operation.parameters ?? []).map((parameter) => [parameter, fieldOf(parameter)]);
    const form = make("form", {}, ...fields.map(([p, field]) => row(p.name, p.description, field)));

    const content = operation.requestBody?.content?.["application/json"];
    let body;
    if (content) {
      const examples = Object.entries(content.examples ?? {});
      const text = ([, example]) => JSON.stringify(example.value, null, 2);
      body = make("textarea", {
        value: examples.length ? text(examples[0]) : "{}",
        rows: 14,
        spellcheck: false,
        ariaLabel: "Body of the request",
      });
      if (examples.length > 1) {
        const choice = make("select", {}, ...examples.map(([name]) => make("option", { textContent: name })));
        choice.addEventListener("change", () => (body.value = text(examples[choice.selectedIndex])));
        form.append(row("example", "", choice));
      }
      form.append(body);
    }

    const send = make("button", { textContent: "Send" });
    const stop = make("button", { type: "button", textContent: "Stop", hidden: true });
    const status = make("output", {});
    const head = make("pre", { hidden: true });
    const out = make("pre", { hidden: true });
    form.append(send, stop, status);
    place.append(form, head, out);

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const headers = new Headers();
      const query = new URLSearchParams();
      let address = path;
      for (const [parameter, { value }] of fields) {
        if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
        else if (value && parameter.in === "query") query.set(parameter.name, value);
        else if (value) headers.set(parameter.name, value);
      }
      if (token.value && (operation.security ?? []).some((way) => "token" in way)) {
        headers.set("Authorization", `Bearer ${token.value.trim()}`);
      }
      if (body) headers.set("Content-Type", "application/json");
      const stopping = new AbortController();
      stop.onclick = () => stopping.abort();
      send.disabled = true;
      stop.hidden = out.hidden = head.hidden = false;
      status.textContent = "…";
      head.textContent = out.textContent = "";
      const began = performance.now();
      try {
        const answer = await fetch(query.size ? `${address}?${query}` : address, {
          method,
          headers,
          body: body?.value,
          credentials: "omit",
          signal: stopping.signal,
        });
        const took = () => `${answer.status} ${answer.statusText}, ${Math.round(performance.now() - began)} ms`;
        status.textContent = took();
        head.textContent = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
        await write(answer, out);
        status.textContent = took();
      } catch (error) {
        status.textContent = stopping.signal.aborted ? "stopped" : `no answer: ${error.message}`;
      } finally {
        send.disabled = false;
        stop.hidden = true;
      }
    });
  };

  for (const place of document.querySelectorAll("details.try")) {
    place.hidden = false;
    place.addEventListener(
      "toggle",
      async () => {
        try {
          build(place, find(await description(), place.dataset.operation));
        } catch (error) {
          place.append(make("p", { textContent: `The description could not be read: ${error.message}` }));
        }
      },
      { once: true },
    );
  }
})();
