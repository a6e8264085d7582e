//! `sonometer-wasm-glue MODULE.wasm FOLDER [--names]`: writes `glue.js` and `glue_bg.wasm` into the folder; with `--names` the functions
//! keep their names, for profiles.

use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::{Bindgen, EncodeInto};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, names) = match &arguments[..] {
        [module, folder] => (module, folder, false),
        [module, folder, names] if names == "--names" => (module, folder, true),
        _ => {
            eprintln!("usage: sonometer-wasm-glue MODULE.wasm FOLDER [--names]");
            return ExitCode::from(2);
        }
    };
    match write(Path::new(module), Path::new(folder), names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{module}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(module: &Path, folder: &Path, names: bool) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("glue")
        .web(true)
        .map_err(|error| format!("{error:#}"))?
        // Declarations are written by hand.
        .typescript(false)
        // Where the module lies is known by the entry points: Node reads a file, browsers fetch an address.
        .omit_default_module_path(true)
        // A trap leaves the memory of an instance half done; JavaScript goes on with a new one.
        .reset_state_function(true)
        // Everything that the package supports has `encodeInto`, so the code for what has not would be fetched for nothing.
        .encode_into(EncodeInto::Always)
        .remove_name_section(!names)
        .remove_producers_section(true);
    bindgen.generate(folder).map_err(|error| format!("{error:#}"))
}
