//! Reading in a process apart, with limits of time and memory: a file that makes a library panic, loop or eat memory harms
//! nobody but that process.
//!
//! The helper is any program that calls [`serve`] and does nothing else: the command `sonometer` does so under a hidden verb.
//!
//! ```no_run
//! use sonometer_ingest::{Hints, apart};
//! use std::process::Command;
//!
//! let mut helper = Command::new("sonometer");
//! helper.arg("read-apart");
//! let bytes = std::fs::read("report.pdf").expect("can be read");
//! let read = apart::read(helper, &bytes, &Hints::default(), &apart::Budget::default());
//! ```

use crate::error::{ReadError, Reason};
use crate::wire::{Answer, Question};
use crate::{Hints, Ingested, Limits};
use std::io::{self, BufRead, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is asked whether anybody still waits.
const PULSE: Duration = Duration::from_millis(50);

/// The niceness of a process that gives way: half of the way down.
#[cfg(unix)]
const LOW_PRIORITY: i32 = 10;

/// What a reading process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Counts within the file.
    pub limits: Limits,
    /// Address space of the process, and of each it starts.
    pub memory_bytes: u64,
    /// Seconds from start to end; also its processor time. At least 1.
    pub seconds: u64,
    /// Whether everything else goes first where processors are short (on Unix): a service answers others meanwhile.
    pub gives_way: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { limits: Limits::default(), memory_bytes: 2 << 30, seconds: 60, gives_way: false }
    }
}

/// Reads a file in a process that `helper` starts; blocks until it ends or its time is over.
///
/// # Errors
/// As [`crate::read`]; [`Reason::TooCostly`] beyond the budget; [`Reason::Internal`] if the helper cannot be started.
pub fn read(helper: Command, bytes: &[u8], hints: &Hints, budget: &Budget) -> Result<Ingested, ReadError> {
    read_unless(helper, bytes, hints, budget, &AtomicBool::new(false))
}

/// As [`read`]; `stop`, set from another thread, ends it early.
///
/// # Errors
/// As there; [`Reason::Internal`] if it is stopped.
pub fn read_unless(
    helper: Command,
    bytes: &[u8],
    hints: &Hints,
    budget: &Budget,
    stop: &AtomicBool,
) -> Result<Ingested, ReadError> {
    let limits = budget.limits;
    if bytes.len() > limits.file_bytes {
        return Err(ReadError::too_large(
            "",
            format!("the file has {} bytes", bytes.len()),
            limits.file_bytes,
        ));
    }
    let question = Question::new(hints, budget);
    // Text in JSON is at most six times as long, beside it stands the map.
    let most = (budget.limits.text_bytes as u64).saturating_mul(8).saturating_add(1 << 20);
    ask(helper, &question, bytes, budget, stop, |stdout| {
        let mut answer = Vec::new();
        let _ = stdout.take(most).read_to_end(&mut answer);
        // A library may have printed something of its own before.
        serde_json::from_slice::<Answer>(last_line(&answer)).ok().map(Answer::check)
    })
}

/// The sound of a recording, decoded in a process that `helper` starts.
#[cfg(feature = "audio")]
pub(crate) fn sound(
    helper: Command,
    bytes: &[u8],
    budget: &Budget,
    stop: &AtomicBool,
    sink: &mut (dyn crate::audio::Sink + Send),
) -> Result<crate::audio::Decoded, ReadError> {
    let limits = budget.limits;
    let mut question = Question::new(&Hints::default(), budget);
    question.is_sound = true;
    question.wants_samples = sink.wants_samples();
    ask(helper, &question, bytes, budget, stop, |stdout| {
        let mut stdout = io::BufReader::with_capacity(1 << 16, stdout);
        crate::audio::receive(&mut stdout, &limits, sink).ok()
    })
}

/// Starts the helper, gives it the question and the file, and takes its answer; `None` of `take` is an answer that makes no
/// sense, mostly because the helper died.
fn ask<T: Send>(
    mut helper: Command,
    question: &Question,
    bytes: &[u8],
    budget: &Budget,
    stop: &AtomicBool,
    take: impl FnOnce(ChildStdout) -> Option<Result<T, ReadError>> + Send,
) -> Result<T, ReadError> {
    let mut question = serde_json::to_vec(question).map_err(|error| internal(&error))?;
    question.push(b'\n');
    helper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    alone(&mut helper);
    let mut child = helper.spawn().map_err(|error| internal(&error))?;
    let ended = talk(&mut child, &question, bytes, budget, stop, take);
    end(&mut child);
    let status = child.wait().map_err(|error| internal(&error))?;
    match ended {
        Ended::Late => Err(costly(format!("reading it took more than {} seconds", budget.seconds.max(1)))),
        Ended::Stopped => Err(ReadError::new(Reason::Internal, "", "cancelled, because the caller is gone")),
        Ended::Answered(Some(answer)) => answer,
        Ended::Answered(None) => Err(died(status, budget)),
    }
}

/// A group of its own, so that what a process starts ends with it.
pub(crate) fn alone(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

fn last_line(answer: &[u8]) -> &[u8] {
    let answer = answer.trim_ascii_end();
    answer.rsplit(|byte| *byte == b'\n').next().unwrap_or(answer)
}

/// How a talk with the helper ended.
enum Ended<T> {
    /// What `take` made of the answer.
    Answered(Option<T>),
    /// Time ran out.
    Late,
    /// Nobody waits any more.
    Stopped,
}

/// Waits for what `take` makes of the answer.
fn talk<T: Send>(
    child: &mut Child,
    question: &[u8],
    bytes: &[u8],
    budget: &Budget,
    stop: &AtomicBool,
    take: impl FnOnce(ChildStdout) -> Option<T> + Send,
) -> Ended<T> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // A helper that gave up early has said why.
                let _ = stdin.write_all(question).and_then(|()| stdin.write_all(bytes));
            }
        });
        scope.spawn(move || {
            // Nobody waits any more where time ran out.
            let _ = sender.send(stdout.and_then(take));
        });
        let (begun, most) = (Instant::now(), Duration::from_secs(budget.seconds.max(1)));
        let ended = loop {
            let left = most.saturating_sub(begun.elapsed());
            match receiver.recv_timeout(left.min(PULSE)) {
                Ok(answer) => break Ended::Answered(answer),
                Err(RecvTimeoutError::Disconnected) => break Ended::Answered(None),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => break Ended::Stopped,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() >= most => break Ended::Late,
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        // Both threads end with the pipes of the child.
        end(child);
        ended
    })
}

/// Ends the child and whatever it started; of no effect where it has ended.
pub(crate) fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(id) = i32::try_from(child.id())
        && let Some(group) = rustix::process::Pid::from_raw(id)
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// Why there was no answer.
fn died(status: ExitStatus, budget: &Budget) -> ReadError {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        let signal = status.signal().and_then(rustix::process::Signal::from_named_raw);
        if signal == Some(rustix::process::Signal::XCPU) {
            return costly(format!("reading it took more than {} seconds of work", budget.seconds.max(1)));
        }
        if signal == Some(rustix::process::Signal::ABORT) {
            return costly(format!(
                "reading it takes more than {} bytes of memory, or crashes the reader",
                budget.memory_bytes
            ));
        }
    }
    let _ = (status, budget);
    ReadError::broken("", "the file is damaged and cannot be read")
}

fn costly(message: String) -> ReadError {
    ReadError::new(Reason::TooCostly, "", format!("{message}; give a smaller part of it, or its text"))
}

fn internal(error: &dyn std::fmt::Display) -> ReadError {
    ReadError::new(Reason::Internal, "", format!("the process that reads files failed: {error}"))
}

/// The other side: limits this process, reads the question and the file from standard input, answers on standard output.
///
/// # Errors
/// When the pipes break, or the question is none.
pub fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.by_ref().take(1 << 20).read_until(b'\n', &mut line)?;
    let question: Question = serde_json::from_slice(&line)?;
    confine(&question);
    let mut bytes = Vec::new();
    let most = if question.is_sound { question.limits.most_bytes() } else { question.limits.file_bytes };
    let arrived = input.take(most as u64 + 1).read_to_end(&mut bytes);
    // Nobody reads what a panic would say; the answer says it.
    std::panic::set_hook(Box::new(|_| {}));
    #[cfg(feature = "audio")]
    if question.is_sound {
        arrived?;
        let mut output = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        return crate::audio::send(&bytes, &question.limits, question.wants_samples, &mut output);
    }
    let result = match arrived {
        Ok(_) => crate::read_within(&bytes, &question.hints(), &question.limits),
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(ReadError::out_of_memory("")),
        Err(error) => return Err(error),
    };
    let mut answer = serde_json::to_vec(&Answer::of(&result))?;
    answer.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&answer)?;
    output.flush()
}

#[cfg(unix)]
fn confine(question: &Question) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let seconds = question.seconds.max(1);
    let limit = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    let limits = [
        (Resource::As, limit(question.memory_bytes)),
        // A second more to the hard limit: the soft one says why.
        (Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) }),
        // Nothing is written to disk, and nothing is left behind by a crash.
        (Resource::Fsize, limit(0)),
        (Resource::Core, limit(0)),
        (Resource::Nofile, limit(64)),
    ];
    for (resource, limit) in limits {
        // Where the limit of the caller is lower already, that one holds.
        let _ = setrlimit(resource, limit);
    }
    if question.gives_way {
        let _ = rustix::process::setpriority_process(None, LOW_PRIORITY);
    }
}

#[cfg(not(unix))]
fn confine(_: &Question) {}
