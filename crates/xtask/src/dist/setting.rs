//! Where a release is made and from what, and an environment in which the same sources give the same bytes.

use super::metadata::Metadata;
use crate::test::{command, root};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest C library for Linux that the artifacts run on: that of the wheel tag manylinux2014, as in CentOS 7 and
/// everything newer. Without zig it is the one of the machine that builds.
const GLIBC: &str = "2.17";

/// What is installed from PyPI, each of one version.
const TOOLS: [&str; 7] = [
    "maturin==1.16.0",
    "ziglang==0.17.1",
    "cargo-zigbuild==0.24.0",
    // What looks at wheels and at lists of parts.
    "auditwheel==6.8.2",
    "check-wheel-contents==0.6.3",
    "twine==7.0.0",
    "cyclonedx-python-lib[json-validation]==11.12.0",
];

pub(super) struct Setting {
    /// The version of the workspace.
    pub(super) version: String,
    /// What the artifacts run on, such as `x86_64-unknown-linux-gnu`.
    pub(super) triple: String,
    /// What is published.
    pub(super) out: PathBuf,
    /// Tools, builds and trials.
    pub(super) work: PathBuf,
    /// The time that archives and lists bear, in seconds: `SOURCE_DATE_EPOCH`, else when the commit was made.
    pub(super) epoch: u64,
    pub(super) metadata: Metadata,
    commit: String,
}

impl Setting {
    pub(super) fn read() -> Result<Self, String> {
        let metadata = Metadata::read()?;
        let version = metadata.version_of("sonometer")?;
        let rustc = said(command("rustc").arg("-vV"))?;
        let triple = rustc.lines().find_map(|line| line.strip_prefix("host: "));
        let epoch = match env::var("SOURCE_DATE_EPOCH") {
            Ok(epoch) => epoch,
            Err(_) => git(&["log", "-1", "--format=%ct"]).map_err(|why| {
                format!("{why}\nwithout git, set SOURCE_DATE_EPOCH to the time of the release in seconds")
            })?,
        };
        let changed = git(&["status", "--porcelain"]).is_ok_and(|changes| !changes.is_empty());
        let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|_| "unknown".into());
        Ok(Self {
            version,
            triple: triple.ok_or("rustc -vV names no host")?.to_owned(),
            out: metadata.target_directory.join("dist"),
            work: metadata.target_directory.join("dist-work"),
            epoch: epoch
                .parse()
                .map_err(|_| format!("SOURCE_DATE_EPOCH: `{epoch}` is no number of seconds"))?,
            commit: if changed { format!("{commit} and changes that are not committed") } else { commit },
            metadata,
        })
    }

    pub(super) fn say(&self) {
        println!(
            "sonometer {} from commit {}, for {}, SOURCE_DATE_EPOCH={}",
            self.version, self.commit, self.triple, self.epoch
        );
    }

    /// A program with the tools before everything else on its path, and settings for the same bytes every time.
    pub(super) fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut program = command(name);
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(self.tools()).chain(env::split_paths(&path)));
        // What sets flags for all targets would hide ours, or add paths to them.
        for variable in ["RUSTFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS"] {
            program.env_remove(variable);
        }
        // A folder whose name holds a `:` cannot be on the path, and the tools are then not found.
        if let Ok(path) = path {
            program.env("PATH", path);
        }
        program
            .current_dir(root())
            .env("SOURCE_DATE_EPOCH", self.epoch.to_string())
            .env("CARGO_INCREMENTAL", "0")
            .env("LC_ALL", "C")
            .env("TZ", "UTC");
        program
    }

    /// The same for cargo and for what calls it, with a target folder of its own and without paths of this machine in what is
    /// built.
    pub(super) fn builder(&self, name: &str) -> Command {
        let mut program = self.program(name);
        let homes = self.private_paths();
        let rust: Vec<String> = homes
            .iter()
            .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()))
            .collect();
        let c: Vec<String> =
            homes.iter().map(|(path, name)| format!("-ffile-prefix-map={}={name}", path.display())).collect();
        program
            .env("CARGO_TARGET_DIR", self.build())
            // Built by `bindings/wasm/workbench/build`, in the usual target folder.
            .env("SONOMETER_WORKBENCH", self.metadata.target_directory.join("wasm/workbench/site"))
            .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\x1f"))
            .env(format!("CFLAGS_{}", self.triple.replace('-', "_")), c.join(" "));
        program
    }

    /// `cargo build` for packages, against the old C library if zig is there, and the folder with what it builds.
    pub(super) fn build_package(&self, package: &str) -> Result<PathBuf, String> {
        let mut cargo = self.builder("cargo");
        let old = self.zig();
        if old {
            cargo.args(["zigbuild", "--target", &format!("{}.{GLIBC}", self.triple)]);
        } else {
            println!("notice: no zig: what is built needs the C library of this machine or a newer one");
            cargo.args(["build", "--target", &self.triple]);
        }
        cargo.args(["--quiet", "--locked", "--profile", "dist", "--package", package]);
        done(&mut cargo)?;
        Ok(self.build().join(&self.triple).join("dist"))
    }

    /// Forgets what was built of the crates of the repository, so that it is built anew.
    pub(super) fn forget_own(&self) -> Result<(), String> {
        // The second is where `bindings/wasm/build` builds.
        let wasm = self.metadata.target_directory.join("wasm/cargo");
        for (folder, profile, triple) in
            [(self.build(), "dist", self.triple.as_str()), (wasm, "wasm", "wasm32-unknown-unknown")]
        {
            let mut clean = self.program("cargo");
            clean.args(["clean", "--quiet", "--locked", "--profile", profile, "--target", triple]);
            for package in self.metadata.members() {
                clean.args(["--package", &package.name]);
            }
            done(clean.env("CARGO_TARGET_DIR", folder))?;
        }
        Ok(())
    }

    /// Whether zig links here, on Linux alone: elsewhere there is no C library to be older than.
    pub(super) fn zig(&self) -> bool {
        self.triple.ends_with("-linux-gnu") && self.install_tools()
    }

    /// Installs the tools into an environment of their own, once; whether they are there.
    pub(super) fn install_tools(&self) -> bool {
        let folder = self.work.join("tools");
        let (wanted, stamp) = (TOOLS.join("\n"), folder.join("wanted"));
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return true;
        }
        println!("installing {} tools from PyPI into {}", TOOLS.len(), folder.display());
        let python = self.tools().join("python");
        let made = done(command("python3").args(["-m", "venv", "--clear"]).arg(&folder)).and_then(|()| {
            let mut pip = command(python);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(TOOLS);
            done(&mut pip)
        });
        match made.and_then(|()| super::write(&stamp, wanted)) {
            Ok(()) => true,
            Err(why) => {
                println!("notice: the tools cannot be installed: {why}");
                false
            }
        }
    }

    /// The folder with the programs of the tools.
    pub(super) fn tools(&self) -> PathBuf {
        self.work.join("tools/bin")
    }

    fn build(&self) -> PathBuf {
        self.work.join("build")
    }

    /// Folders of this machine that must not be named in an artifact, and what is named instead; the more precise ones last, as
    /// the compiler takes the last that fits.
    fn private_paths(&self) -> Vec<(PathBuf, &'static str)> {
        let home = env::home_dir().unwrap_or_default();
        let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
        vec![(cargo, "/cargo"), (root(), "/sonometer")]
    }

    /// Refuses a built file that names a folder of this machine.
    pub(super) fn check_paths(&self, file: &Path) -> Result<(), String> {
        let bytes = super::read(file)?;
        for (folder, _) in self.private_paths() {
            let text = folder.display().to_string();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Err(format!("{} holds the path {text} of this machine", file.display()));
            }
        }
        Ok(())
    }

    /// The oldest C library that a built file runs on, by the versions of the symbols that it asks for. With zig, one that is
    /// newer than wanted is an error.
    pub(super) fn check_libc(&self, file: &Path) -> Result<(), String> {
        let Some(needs) = newest_symbols(&super::read(file)?) else { return Ok(()) };
        let needed = format!("{}.{}", needs.0, needs.1);
        println!("needs glibc {needed}: {}", file.file_name().unwrap_or_default().display());
        let most =
            GLIBC.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        if self.zig() && most.is_some_and(|most| needs > most) {
            return Err(format!("{} needs glibc {needed}, which is newer than {GLIBC}", file.display()));
        }
        Ok(())
    }
}

/// The newest `GLIBC_2.17` of a file.
fn newest_symbols(bytes: &[u8]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"GLIBC_";
    let starts = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    let versions = starts.filter_map(|(at, _)| {
        let rest = &bytes[at + MARK.len()..];
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
        let mut numbers = std::str::from_utf8(&rest[..end]).ok()?.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

fn git(arguments: &[&str]) -> Result<String, String> {
    said(command("git").args(arguments).current_dir(root()))
}

/// Runs a program to its end, and gives what it wrote on standard output, without the last line break.
pub(super) fn said(program: &mut Command) -> Result<String, String> {
    let name = name(program);
    let output = program.stderr(Stdio::inherit()).output().map_err(|e| format!("{name}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => Err(format!("{name}: {}", output.status)),
    }
}

/// Runs a program to its end; what it says is shown.
pub(super) fn done(program: &mut Command) -> Result<(), String> {
    let name = name(program);
    let status = program.status().map_err(|e| format!("{name}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

/// The program with its arguments, as it would be typed.
fn name(program: &Command) -> String {
    let words = std::iter::once(program.get_program()).chain(program.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::newest_symbols;

    #[test]
    fn the_newest_version_of_the_c_library_counts() {
        assert_eq!(newest_symbols(b"\0GLIBC_2.9\0GLIBC_2.17\0GLIBC_2.3.4\0GLIBC_PRIVATE\0"), Some((2, 17)));
        assert_eq!(newest_symbols(b"a static program"), None);
    }
}
