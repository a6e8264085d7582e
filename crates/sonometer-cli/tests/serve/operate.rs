//! Settings from a file, variables and flags; TLS; a reload by SIGHUP; the log; the administration beside it.

use crate::{folder, get, server};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.current_dir(folder).env_remove("RUST_LOG");
    command
}

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        command(folder).args(arguments).envs(variables.iter().copied()).output().expect("starts");
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// A server by a file of settings, with its log in `log`.
pub(crate) struct Running {
    child: Child,
    said: Vec<String>,
    log: PathBuf,
}

impl Running {
    pub(crate) fn start(folder: &Path, more: &[&str]) -> Self {
        let log = folder.join("log");
        let mut child = command(folder)
            .args(["serve", "--config", "sonometer.toml", "--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log).expect("can be made"))
            .spawn()
            .expect("starts");
        let mut said = Vec::new();
        for line in BufReader::new(child.stdout.take().expect("is piped")).lines() {
            said.push(line.expect("is text"));
            if said.last().is_some_and(|line| line.starts_with("listening on")) {
                break;
            }
        }
        Self { child, said, log }
    }

    pub(crate) fn told(&self, before: &str) -> &str {
        let found = self.said.iter().find_map(|line| line.strip_prefix(before));
        found.unwrap_or_else(|| {
            panic!("{:?} {}", self.said, fs::read_to_string(&self.log).unwrap_or_default())
        })
    }

    /// Waits until the log holds a text.
    pub(crate) fn logs(&self, part: &str) -> String {
        let began = Instant::now();
        loop {
            let log = fs::read_to_string(&self.log).expect("can be read");
            if log.contains(part) {
                return log;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "no {part} in {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn hang_up(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().expect("there is kill").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn settings_are_printed_with_their_sources_and_what_is_wrong_ends_the_start() {
    let folder = folder("config");
    fs::write(folder.join("sonometer.toml"), "[limits]\nbody_bytes = 2000\nin_flight = 9\n")
        .expect("can be written");
    let variables = [("SONOMETER_LIMITS_IN_FLIGHT", "11"), ("SONOMETER_KEYS_SECRET", "tell nobody")];
    let arguments = ["serve", "--config", "sonometer.toml", "--print-config", "--set", "limits.streams=5"];
    let (code, out, err) = run(&folder, &arguments, &variables);
    assert_eq!(code, 0, "{err}");
    for line in [
        "body_bytes = 2000  # sonometer.toml:2",
        "in_flight = 11  # SONOMETER_LIMITS_IN_FLIGHT",
        "streams = 5  # --set",
        "listen = \"127.0.0.1:8080\"  # default",
        "# secret = (hidden)  # SONOMETER_KEYS_SECRET",
    ] {
        assert!(out.lines().any(|own| own == line), "{line}\n{out}");
    }
    assert!(!out.contains("tell nobody"));
    fs::write(folder.join("printed.toml"), &out).expect("can be written");
    let (code, again, err) = run(&folder, &["serve", "--config", "printed.toml", "--print-config"], &[]);
    assert!(code == 0 && again.contains("in_flight = 11  # printed.toml:"), "{err}");
    fs::write(folder.join("sonometer.toml"), "[limits]\nbody_byte = 2000\n").expect("can be written");
    for arguments in
        [&["serve", "--config", "sonometer.toml"][..], &["admin", "--config", "sonometer.toml", "orgs"]]
    {
        let (code, _, err) = run(&folder, arguments, &[]);
        assert_eq!(code, 2);
        assert!(
            err.contains(
                "sonometer.toml:2:1: limits.body_byte: unknown key; did you mean `limits.body_bytes`?"
            ),
            "{err}"
        );
    }
    let (code, _, err) = run(&folder, &["serve", "--key-file", "missing"], &[]);
    assert!(code == 2 && err.contains("--key-file: `keys.file`: missing cannot be read: "), "{err}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn a_reload_changes_what_it_can_and_names_what_it_cannot() {
    let folder = folder("reload");
    let settings = |text: &str| fs::write(folder.join("sonometer.toml"), text).expect("can be written");
    settings("database = \"db.sqlite\"\nadmin_listen = \"127.0.0.1:0\"\n");
    let running = Running::start(&folder, &[]);
    let (address, admin) = (running.told("listening on http://"), running.told("administration on http://"));
    let (_, made, err) = run(
        &folder,
        &["admin", "--config", "sonometer.toml", "create-token", "first", "--scopes", "admin"],
        &[],
    );
    let token = made.lines().nth(1).unwrap_or_else(|| panic!("{err}"));
    assert_eq!(get(admin, token, "/admin/v1/orgs").0, 200);
    assert_eq!(get(address, token, "/nowhere?token=hush").0, 404);
    let log = running.logs("/nowhere");
    let line = log.lines().find(|line| line.contains("/nowhere")).expect("is there");
    for part in [
        "\"client\":\"127.0.0.1\"",
        "\"method\":\"GET\"",
        "\"status\":404",
        "\"bytes\":",
        "\"micros\":",
        "\"request_id\":\"req_",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!log.contains("hush") && !log.contains(token));

    settings("database = \"other.sqlite\"\nadmin_listen = \"127.0.0.1:0\"\n[log]\nlevel = \"debug\"\n");
    running.hang_up();
    let log = running.logs("the settings were read again");
    assert!(log.contains("log.level") && log.contains("needs_restart\":\"[\\\"database\\\"]"), "{log}");
    settings("[log]\nlevel = 3\n");
    running.hang_up();
    let log = running.logs("the settings stay as they were");
    assert!(log.contains("sonometer.toml:2:9: log.level"), "{log}");
    // A start would refuse these, so it is said now.
    for (wrong, why) in [
        ("[tls]\ncert = \"gone.pem\"\nkey = \"gone.pem\"\n", "gone.pem"),
        ("[keys]\nfile = \"lost.keys\"\n", "lost.keys cannot be read"),
    ] {
        settings(wrong);
        running.hang_up();
        let log = running.logs(why);
        let line = log.lines().find(|line| line.contains(why)).expect("is there");
        assert!(line.contains("the settings stay as they were"), "{line}");
    }
    assert_eq!(get(admin, token, "/admin/v1/orgs").0, 200);
    let (_, audit, _) = run(&folder, &["admin", "--database", "db.sqlite", "audit"], &[]);
    assert!(audit.contains("command") && audit.contains("token.create  first  done"), "{audit}");
    // Timers and containers set no variable.
    let nobody = command(&folder)
        .args(["admin", "--database", "db.sqlite", "create-org", "acme"])
        .env_clear()
        .env("USER", "")
        .output();
    assert!(nobody.expect("starts").status.success());
    let (_, audit, _) = run(&folder, &["admin", "--database", "db.sqlite", "audit", "--limit", "1"], &[]);
    assert!(audit.contains("org.create") && audit.contains("acme"), "{audit}");
    assert_eq!(audit.contains("unknown user"), !cfg!(target_os = "linux"), "{audit}");
    drop(running);
    let _ = fs::remove_dir_all(folder);
}

/// A certificate of its own for 127.0.0.1; `false`: there is no openssl.
fn certificate(folder: &Path, name: &str) -> bool {
    let (cert, key) = (format!("{name}.pem"), format!("{name}.key"));
    let subject = format!("/CN={name}");
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "30",
        ])
        .args(["-subj", &subject, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", &key, "-out", &cert])
        .current_dir(folder)
        .output();
    made.is_ok_and(|made| made.status.success())
}

/// Whether a client that believes in one certificate alone gets an answer.
fn believed(folder: &Path, cert: &str, address: &str) -> bool {
    let asked = Command::new("curl")
        .args([
            "--silent",
            "--fail",
            "--max-time",
            "20",
            "--cacert",
            cert,
            &format!("https://{address}/healthz"),
        ])
        .current_dir(folder)
        .output();
    asked.expect("there is curl").status.success()
}

#[test]
fn tls_with_a_certificate_that_is_read_again_when_it_changes() {
    let folder = folder("tls");
    let there = Command::new("curl").arg("--version").output().is_ok();
    if !there || !certificate(&folder, "old") || !certificate(&folder, "new") {
        println!("skipped: TLS (openssl or curl is not there)");
        return;
    }
    let copy = |name: &str| {
        for ending in ["pem", "key"] {
            fs::copy(folder.join(format!("{name}.{ending}")), folder.join(format!("own.{ending}")))
                .expect("is copied");
        }
    };
    copy("old");
    fs::write(folder.join("sonometer.toml"), "[tls]\ncert = \"own.pem\"\nkey = \"own.key\"\n")
        .expect("can be written");
    let running = Running::start(&folder, &["--database", "db.sqlite"]);
    let address = running.told("listening on https://");
    assert!(believed(&folder, "old.pem", address) && !believed(&folder, "new.pem", address));
    copy("new");
    running.logs("the certificate was read again");
    assert!(believed(&folder, "new.pem", address) && !believed(&folder, "old.pem", address));
    // What cannot be read changes nothing.
    fs::write(folder.join("own.pem"), "nonsense").expect("can be written");
    running.hang_up();
    running.logs("own.pem: no certificate in this file; give a PEM file with one");
    assert!(believed(&folder, "new.pem", address));
    drop(running);
    let (code, _, err) = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--tls-cert", "old.pem", "--tls-key", "new.key"],
        &[],
    );
    assert!(
        code == 2 && err.contains("do not fit together: the certificate is for another key; give"),
        "{err}"
    );
    let (code, _, err) = run(&folder, &["serve", "--tls-cert", "old.pem"], &[]);
    assert!(code == 2 && err.contains("--tls-cert: `tls.cert` needs `tls.key`"), "{err}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn keys_from_a_file_are_replaced_by_the_command() {
    if server().is_some() {
        println!("skipped: a store of its own for each run of the command is an SQLite file");
        return;
    }
    let folder = folder("keys");
    // Behind the verb; other tests have their flags before it.
    let admin =
        |arguments: &[&str]| run(&folder, &[&["admin"], arguments, &["--key-file", "keys"]].concat(), &[]);
    let (_, key, _) = run(&folder, &["admin", "new-key"], &[]);
    fs::write(folder.join("keys"), &key).expect("can be written");
    assert_eq!(admin(&["create-org", "acme"]).0, 0);
    let (_, secret, _) = admin(&["webhook-secret", "acme"]);
    assert!(secret.starts_with("whsec_"));
    let (code, _, err) = run(&folder, &["admin", "webhook-secret", "acme"], &[]);
    assert!(code == 2 && err.contains("give it by --key-file"), "{err}");
    let (_, next, _) = run(&folder, &["admin", "new-key"], &[]);
    fs::write(folder.join("keys"), format!("{next}{key}")).expect("can be written");
    let (code, out, err) = admin(&["rotate-keys"]);
    assert!(code == 0 && out == "1 secret encrypted with the newest key\n", "{out} {err}");
    fs::write(folder.join("keys"), &next).expect("can be written");
    assert_eq!(admin(&["webhook-secret", "acme"]).1, secret);
    let (_, log, _) = admin(&["audit"]);
    assert!(
        log.contains("webhook-secret.show") && log.contains("keys.rotate") && !log.contains("whsec_"),
        "{log}"
    );
    let _ = fs::remove_dir_all(folder);
}
