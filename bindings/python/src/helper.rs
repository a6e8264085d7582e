//! The process in which files of strangers are read: this Python once more, with nothing in it but the native half.

use crate::failure::{Failure, Outcome};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sonometer_ingest::{Hints, Kind, ReadError, Reason, apart};
use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

/// Loads the native half by its file, so that it does not matter where packages are looked for: neither virtual environments,
/// nor what `sys.path` was made to be, nor the folder in which the program runs.
const PROGRAM: &str = "\
import importlib.machinery, importlib.util, sys
name = 'sonometer._sonometer'
loader = importlib.machinery.ExtensionFileLoader(name, sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, sys.argv[1], loader=loader))
loader.exec_module(module)
module._read_apart()
";

/// What the first process that is started has to read.
const TRIAL: &[u8] = b"trial";

/// What starts the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Helper {
    interpreter: OsString,
    /// The file of the native half.
    library: OsString,
}

impl Helper {
    /// This interpreter, or the one that `multiprocessing.set_executable` named, as programs do that embed Python.
    pub(crate) fn find(py: Python<'_>) -> Outcome<Self> {
        let sys = py.import("sys")?;
        let own = sys.getattr("executable")?;
        let modules = sys.getattr("modules")?;
        let modules = modules.cast::<PyDict>().map_err(PyErr::from)?;
        let set = match modules.get_item("multiprocessing.spawn")? {
            Some(spawn) if !spawn.is_none() => Some(spawn.call_method0("get_executable")?),
            _ => None,
        };
        let decoded = |path: Bound<'_, PyAny>| -> PyResult<OsString> {
            match path.is_none() {
                true => Ok(OsString::new()),
                false => py.import("os")?.call_method1("fsdecode", (path,))?.extract(),
            }
        };
        let own = decoded(own)?;
        let interpreter = set.map(decoded).transpose()?.filter(|set| !set.is_empty());
        let interpreter = interpreter.unwrap_or_else(|| own.clone());
        if interpreter.is_empty() {
            return Err(unusable("`sys.executable` is not set"));
        }
        // A program in one file, which would start as a whole once more.
        let is_frozen = sys.getattr_opt("frozen")?.is_some_and(|frozen| frozen.is_truthy().unwrap_or(true));
        if is_frozen && interpreter == own {
            let own = own.to_string_lossy();
            return Err(unusable(&format!("`sys.executable` is {own}, which is not a Python interpreter")));
        }
        let library = decoded(py.import("sonometer._sonometer")?.getattr("__file__")?)?;
        Ok(Self { interpreter, library })
    }

    /// A process to be started.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        // Nothing of the user's, of the environment's or of the folder's; no site; nothing written.
        command.args(["-I", "-S", "-B", "-c", PROGRAM]).arg(&self.library);
        command
    }

    /// Whether it works at all, so that a server in the place of an interpreter is not taken for a broken file. Asked once.
    pub(crate) fn tried(&self) -> Outcome<()> {
        static GOOD: OnceLock<Helper> = OnceLock::new();
        if GOOD.get() == Some(self) {
            return Ok(());
        }
        let hints = Hints { kind: Some(Kind::Text), ..Hints::default() };
        let budget = apart::Budget { seconds: 20, ..apart::Budget::default() };
        match apart::read(self.command(), TRIAL, &hints, &budget) {
            Ok(read) if read.interaction.turns()[0].content.as_bytes() == TRIAL => {
                let _ = GOOD.set(self.clone());
                Ok(())
            }
            answer => {
                let why = match answer {
                    Err(ReadError { reason: Reason::Internal, error }) => error.message,
                    _ => "it does not answer".to_owned(),
                };
                Err(unusable(&format!("{} cannot read files ({why})", self.interpreter.to_string_lossy())))
            }
        }
    }
}

fn unusable(why: &str) -> Failure {
    let message = format!(
        "files are read in a separate process, which cannot be started: {why}; set an interpreter with \
         `multiprocessing.set_executable`, or pass `apart=False` for a file that you trust"
    );
    ReadError::new(Reason::Internal, "", message).into()
}

/// The other side: limits this process, reads a file from standard input, answers on standard output.
#[pyfunction]
pub(crate) fn _read_apart(py: Python<'_>) -> PyResult<()> {
    py.detach(apart::serve).map_err(|error| PyOSError::new_err(error.to_string()))
}
