//! `sonometer-wasm-glue MODULE.wasm FOLDER`: writes `glue.js` and `glue_bg.wasm` into the folder.

use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: sonometer-wasm-glue MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    match write(Path::new(module), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{module}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(module: &Path, folder: &Path) -> Result<(), String> {
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
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(folder).map_err(|error| format!("{error:#}"))
}
