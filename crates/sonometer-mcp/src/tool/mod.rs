//! The tools: one table of what each is called, what it takes, what it gives, and what it does.

mod author;
mod catalogue;
mod compare;
mod dive;
mod evaluate;
mod explain;
mod sense;
mod verify;

pub(crate) use catalogue::{described, shipped};

use crate::answer::{Answer, Refusal};
use crate::bench::Bench;
use crate::schema;
use crate::works::Client;
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sonometer::Instrument;
use sonometer_report::Names;
use std::sync::{Arc, LazyLock};

/// A call of a tool.
pub(crate) struct Call {
    pub(crate) bench: Arc<Bench>,
    pub(crate) client: Client,
    /// Whether nobody waits for the answer any more.
    pub(crate) stopped: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// Runs one tool; it blocks its thread.
pub(crate) type Run = Box<dyn Fn(&Call, Map<String, Value>) -> Result<Answer, Refusal> + Send + Sync>;

/// A tool with its description for clients.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) run: Run,
}

/// The description of a tool.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether it changes nothing.
    reads_only: bool,
    /// Whether calling it again with the same arguments changes nothing more.
    repeatable: bool,
}

/// A tool by its function; `O` is what its structured content is.
fn entry<I, O>(about: &About, run: fn(&Call, I) -> Result<Answer, Refusal>) -> Entry
where
    I: DeserializeOwned + JsonSchema + 'static,
    O: Serialize + JsonSchema + 'static,
{
    let hints = ToolAnnotations::new()
        .read_only(about.reads_only)
        .destructive(false)
        .idempotent(about.repeatable)
        .open_world(false);
    let tool = Tool::new(about.name, about.description, schema::of::<I>())
        .with_title(about.title)
        .with_raw_output_schema(Arc::new(schema::of_answer::<O>()))
        .annotate(hints);
    let run = move |call: &Call, arguments: Map<String, Value>| {
        let text = |key| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
        let (target, source) = (text("target"), text("source"));
        let done = schema::read(arguments).and_then(|arguments| run(call, arguments));
        done.map_err(|refusal| match call.bench.instrument(target.as_deref(), source.as_deref()) {
            Ok(instrument) => refusal.veiled(&mut Names::of(&instrument)),
            // Then nothing but the target was read.
            Err(_) => refusal,
        })
    };
    Entry { tool, run: Box::new(run) }
}

/// A tool that only looks.
const fn looks(name: &'static str, title: &'static str, description: &'static str) -> About {
    About { name, title, description, reads_only: true, repeatable: true }
}

/// Every tool, in the order in which a newcomer needs them.
pub(crate) static TOOLS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        entry::<_, catalogue::Listed>(
            &looks(
                "protocols",
                "Protocols, metrics, blueprints, stages",
                "Lists what can be measured with (protocols, metrics, blueprints) and played (stages), or describes one by its id: what its markers \
                 find, what its score means, which languages and roles it reads. Call it first if you do not know which `target` to use.",
            ),
            catalogue::protocols,
        ),
        entry::<_, sense::Sensed>(
            &looks(
                "sense",
                "Measure a text or a conversation",
                "Measures a text or a conversation with a protocol: score, triggered markers, and the words that triggered them. Deterministic: the \
                 same input gives the same bytes. Private data that a protocol masks is shown masked. At most 200,000 characters.",
            ),
            sense::sense,
        ),
        entry::<_, compare::Compared>(
            &looks(
                "compare",
                "Compare two texts or conversations",
                "Measures two texts or conversations with the same protocol and says what changed from `a` to `b`: the score, whether that is an \
                 improvement, and which markers moved.",
            ),
            compare::compare,
        ),
        entry::<_, sense::Sufficient>(
            &looks(
                "fidelity",
                "Check whether a text is enough to measure",
                "Says whether a text or a conversation holds enough readable content for a protocol, without measuring it, and what is missing.",
            ),
            sense::fidelity,
        ),
        entry::<_, explain::Explained>(
            &looks(
                "explain",
                "Explain a reading or a code",
                "Explains why a reading came to its score: every match of every pattern, whether it counts and why not, and the sums. Or, with `code` \
                 alone, what a finding of `check` such as SM0302 means, with an example and its correction.",
            ),
            explain::explain,
        ),
        entry::<_, author::Checked>(
            &looks(
                "check",
                "Check a protocol, metric, blueprint or stage",
                "Checks the text of a protocol, metric, blueprint or stage: every error and warning with its line, its column and what to type instead. \
                 With `fix` it also returns the text with what can only be meant in one way mended.",
            ),
            author::check,
        ),
        entry::<_, author::Tested>(
            &looks(
                "test",
                "Run the tests of a protocol or stage",
                "Runs the tests inside a protocol (`hit`, `miss`, `tests`) or the walkthroughs of a stage, and says why each failed. With `coverage` it \
                 also finds the pattern lines that no test needs.",
            ),
            author::test,
        ),
        entry::<_, evaluate::Evaluated>(
            &looks(
                "evaluate",
                "Measure accuracy on labelled items",
                "Measures how well a protocol agrees with labels of people on up to 500 items: precision, recall, F1 and AUC with intervals, and the \
                 worst errors.",
            ),
            evaluate::evaluate,
        ),
        entry::<_, dive::Opened>(
            &About {
                name: "dive_open",
                title: "Open a dive",
                description: "Opens a dive: a world (a stage) that answers what you say to it and senses each action. Gives the objective, the \
                              first thing that the world says, and a `dive_id` for `dive_act` and `dive_close`.",
                reads_only: false,
                repeatable: false,
            },
            dive::open,
        ),
        entry::<_, dive::Acted>(
            &About {
                name: "dive_act",
                title: "Act in a dive",
                description: "Says one thing in an open dive, in the words that you would say to the other side, and gives what the world answers. \
                              With `turn`, a call that is sent again is answered again and not taken as another action.",
                reads_only: false,
                repeatable: false,
            },
            dive::act,
        ),
        entry::<_, dive::Closed>(
            &About {
                name: "dive_close",
                title: "Close a dive",
                description: "Closes a dive and gives its card: whether it passed and why, what was reached, what it cost. The card can be checked \
                              with `verify_card`.",
                reads_only: false,
                repeatable: false,
            },
            dive::close,
        ),
        entry::<_, verify::Verified>(
            &looks(
                "verify_card",
                "Verify a card",
                "Checks the card of a dive: its form and its sums; with `keys` its signature; with `actions` (the log of the dive) every byte of it, by \
                 playing the dive again.",
            ),
            verify::verify,
        ),
    ]
});

/// What was measured with.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Used {
    /// protocol, metric or blueprint.
    r#type: &'static str,
    id: String,
    version: String,
}

impl Used {
    pub(crate) fn of(instrument: &Instrument) -> Self {
        Self {
            r#type: instrument.kind().as_str(),
            id: instrument.id().to_owned(),
            version: instrument.version().to_owned(),
        }
    }
}
