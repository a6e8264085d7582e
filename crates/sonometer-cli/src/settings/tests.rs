use super::*;

fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("sonometer-{name}-{}.toml", std::process::id()));
    std::fs::write(&path, text).expect("can be written");
    path.to_str().expect("is UTF-8").to_owned()
}

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn wrong(name: &str, text: &str, pairs: &[(&str, &str)]) -> String {
    let path = file(name, text);
    match Settings::read(&[], &environment(pairs), Some(&path)) {
        Err(Failure::Told(told)) => told.message.replace(&path, "FILE"),
        Err(Failure::PipeClosed) => "pipe closed".to_owned(),
        Ok(_) => "nothing".to_owned(),
    }
}

#[test]
fn a_flag_goes_before_a_variable_before_the_file_before_what_is_usual() {
    let path = file(
        "order",
        "listen = \"127.0.0.1:1\"\n[limits]\nbody_bytes = 2000\nin_flight = 7\nwaiting = 0x10\n",
    );
    let variables =
        environment(&[("SONOMETER_LIMITS_BODY_BYTES", "3000"), ("SONOMETER_LISTEN", "127.0.0.1:2")]);
    let flag = assignment("listen=127.0.0.1:3").expect("is good");
    let settings = Settings::read(&[flag], &variables, Some(&path)).expect("is good");
    assert_eq!(settings.text(Name::Listen), "127.0.0.1:3");
    assert_eq!(settings.source(Name::Listen), &Source::Flag("--set".to_owned()));
    assert_eq!(settings.whole(Name::BodyBytes), 3_000);
    assert_eq!(settings.source(Name::BodyBytes).to_string(), "SONOMETER_LIMITS_BODY_BYTES");
    assert_eq!((settings.whole(Name::InFlight), settings.whole(Name::Waiting)), (7, 16));
    assert_eq!(settings.source(Name::InFlight), &Source::File(path, 4));
    assert_eq!(settings.source(Name::Streams), &Source::Usual);
}

#[test]
fn a_message_names_file_line_and_key_and_what_to_write() {
    for (name, text, told) in [
        (
            "typo",
            "\n[limits]\nbody_byte = 1\n",
            "FILE:3:1: limits.body_byte: unknown key; did you mean `limits.body_bytes`?",
        ),
        ("section", "[limit]\nbody_bytes = 1\n", "FILE:1:2: limit: unknown key; did you mean `limits`?"),
        ("type", "listen = 8080\n", "FILE:1:10: listen: this is an integer; write a text in quotes"),
        (
            "range",
            "[limits]\nin_flight = 0\n",
            "FILE:2:13: limits.in_flight: 0 is out of range; write a whole number from 1 to 1000000",
        ),
        (
            "days",
            "[retention]\nresults_days = 0\n",
            "FILE:2:16: retention.results_days: 0 is out of range; write a whole number from 1 to 36500",
        ),
        (
            "negative",
            "[limits]\nin_flight = -1\n",
            "FILE:2:13: limits.in_flight: -1 is out of range; write a whole number from 1 to 1000000",
        ),
        (
            "huge",
            "[limits]\nin_flight = 99999999999999999999\n",
            "FILE:2:13: limits.in_flight: 99999999999999999999 is out of range; write a whole number from 1 to 1000000",
        ),
        (
            "level",
            "[log]\nlevel = \"inf,sqlx=warn\"\n",
            "FILE:2:9: log.level: `inf` is no level; write error, warn, info, debug or trace, or for a module inf=debug",
        ),
        (
            "word",
            "[log]\nformat = \"xml\"\n",
            "FILE:2:10: log.format: `xml` is not a format of the log; write json or text",
        ),
        (
            "address",
            "listen = \"here\"\n",
            "FILE:1:10: listen: `here` is not an address with a port; write for example 127.0.0.1:8080",
        ),
        (
            "list",
            "[cors]\norigins = \"*\"\n",
            "FILE:2:11: cors.origins: this is a string; write a list of texts, such as [\"a\", \"b\"]",
        ),
        ("toml", "listen = \n", "FILE:1:10: not valid TOML"),
        (
            "together",
            "[tls]\ncert = \"a.pem\"\n",
            "FILE:2: `tls.cert` needs `tls.key`; give both, or neither",
        ),
        (
            "evaluations",
            "[otlp]\nevaluations = true\n",
            "FILE:2: `otlp.evaluations` needs `otlp.endpoint`; give the address of a collector",
        ),
        (
            "no-files",
            "[files]\non = false\nhosts = [\"a.b:1\"]\n",
            "FILE:3: `files.hosts` does nothing while `files.on` is false; leave out one of them",
        ),
        (
            "no-sound",
            "[files]\non = false\n[transcriber]\ncommand = \"x {wav}\"\n",
            "FILE:4: `transcriber.command` does nothing while `files.on` is false; leave out one of them",
        ),
    ] {
        let message = wrong(name, text, &[]);
        assert!(message.starts_with(told), "{message}");
    }
    let all = wrong(
        "both",
        "lisen = \"a\"\n[log]\nformat = 1\n",
        &[("SONOMETER_LISEN", "x"), ("SONOMETER_PORT_8080_TCP", "x")],
    );
    assert_eq!(all.lines().count(), 3, "{all}");
    assert!(all.ends_with("SONOMETER_LISEN: unknown variable; did you mean `SONOMETER_LISTEN`?"), "{all}");
}

#[test]
fn a_wrong_rust_log_is_told_where_it_counts() {
    let read = |variables: &[(&str, &str)]| Settings::read(&[], &environment(variables), None);
    let Err(Failure::Told(told)) = read(&[("RUST_LOG", "((")]) else { panic!("is wrong") };
    assert!(told.message.starts_with("RUST_LOG: `((` does not choose log lines: "), "{}", told.message);
    assert!(told.message.ends_with("; write for example info,sqlx=warn"), "{}", told.message);
    let module = read(&[("RUST_LOG", "warn, hyper::client")]).expect("is a module");
    assert_eq!(module.text(Name::LogLevel), "warn,hyper::client=trace");
    let both = read(&[("RUST_LOG", "(("), ("SONOMETER_LOG_LEVEL", "debug")]).expect("it does not count");
    assert_eq!(both.text(Name::LogLevel), "debug");
}

#[test]
fn what_is_no_key_is_told_with_where_it_stands() {
    let path = file("keys", "[keys]\nsecret = \"verysecret\"\n");
    let settings = Settings::read(&[], &BTreeMap::new(), Some(&path)).expect("is a text");
    let Err(Failure::Told(told)) = settings.vault() else { panic!("is no key") };
    let message = told.message.replace(&path, "FILE");
    assert!(message.starts_with("FILE:2: `keys.secret`: line 1: not a key"), "{message}");
    assert!(!message.contains("verysecret"), "{message}");
    let nowhere = environment(&[("SONOMETER_KEYS_FILE", "nowhere/keys")]);
    let settings = Settings::read(&[], &nowhere, None).expect("is a text");
    let Err(Failure::Told(told)) = settings.vault() else { panic!("is no file") };
    assert!(
        told.message.starts_with("SONOMETER_KEYS_FILE: `keys.file`: nowhere/keys cannot be read: "),
        "{}",
        told.message
    );
    assert!(told.message.ends_with("; name a file with keys, as `sonometer admin new-key` prints them"));
}

#[test]
fn two_doors_need_two_addresses() {
    let read = |listen: &str, admin: &str| {
        let variables = environment(&[("SONOMETER_LISTEN", listen), ("SONOMETER_ADMIN_LISTEN", admin)]);
        Settings::read(&[], &variables, None)
    };
    for (listen, admin) in [
        ("127.0.0.1:8080", "127.0.0.1:8080"),
        ("0.0.0.0:8080", "127.0.0.1:8080"),
        ("localhost:8080", "localhost:8080"),
        ("[::1]:8080", "[0:0::1]:8080"),
    ] {
        let Err(Failure::Told(told)) = read(listen, admin) else { panic!("{listen} {admin}") };
        let expected = format!(
            "SONOMETER_ADMIN_LISTEN: `admin_listen` ({admin}) and `listen` ({listen}) name the same address; give one of them another port"
        );
        assert_eq!(told.message, expected);
    }
    for (listen, admin) in [
        ("127.0.0.1:8080", "127.0.0.1:8081"),
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("localhost:0", "localhost:0"),
        ("127.0.0.1:8080", "127.0.0.2:8080"),
        ("127.0.0.1:8080", "[::]:8080"),
    ] {
        assert!(read(listen, admin).is_ok(), "{listen} {admin}");
    }
}

#[test]
fn what_is_printed_can_be_read_again_and_holds_no_secret() {
    let variables = environment(&[
        ("SONOMETER_KEYS_SECRET", "verysecret"),
        ("SONOMETER_DATABASE", "postgres://me:verysecret@host:5432/db?sslmode=require"),
        ("SONOMETER_CORS_ORIGINS", "https://a.example, https://b.example"),
    ]);
    let printed = Settings::read(&[], &variables, None).expect("is good").print();
    assert!(!printed.contains("verysecret"), "{printed}");
    assert!(
        printed.contains("database = \"postgres://me@host:5432/db?sslmode=require\"  # SONOMETER_DATABASE"),
        "{printed}"
    );
    let path = file("printed", &printed);
    let again = Settings::read(&[], &BTreeMap::new(), Some(&path)).expect("is good");
    let origins = ["https://a.example".to_owned(), "https://b.example".to_owned()];
    assert_eq!(again.list(Name::CorsOrigins), origins);
    for key in KEYS.iter() {
        assert!(printed.contains(&key.variable()), "{}", key.name);
    }
}

#[test]
fn a_flag_is_read_as_strictly_as_a_variable() {
    for wrong in ["8080", ":8080", "127.0.0.1", "127.0.0.1:99999"] {
        let flag = Given::text("--listen", Name::Listen, Some(wrong)).expect("is given");
        let Err(Failure::Told(failure)) = Settings::read(&[flag], &BTreeMap::new(), None) else {
            panic!("{wrong}");
        };
        let told =
            format!("--listen: `{wrong}` is not an address with a port; write for example 127.0.0.1:8080");
        assert_eq!(failure.message, told);
    }
}

#[test]
fn a_list_is_read_as_the_file_has_it_too() {
    let read = |text: &str| {
        let variables = environment(&[("SONOMETER_CORS_ORIGINS", text)]);
        Settings::read(&[], &variables, None).map(|settings| settings.list(Name::CorsOrigins).to_vec())
    };
    for text in [
        "https://a.example,https://b.example",
        "[\"https://a.example\", 'https://b.example']",
        " [ \"https://a.example\",\n\"https://b.example\", ]",
    ] {
        let Ok(origins) = read(text) else { panic!("{text}") };
        assert_eq!(origins, ["https://a.example", "https://b.example"], "{text}");
    }
    assert!(read("[]").is_ok_and(|origins| origins.is_empty()));
    for wrong in
        ["[\"https://a.example\"", "[\"https://a.example\"]\nx = []", "[https://a.example]", "[\"*\"]"]
    {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    let hosts = environment(&[("SONOMETER_FILES_HOSTS", "[::1]:8443,files.internal:443")]);
    let settings = Settings::read(&[], &hosts, None).expect("a host may begin with a bracket");
    assert_eq!(settings.list(Name::FilesHosts), ["[::1]:8443", "files.internal:443"]);
}

#[test]
fn a_reload_tells_what_it_changes_and_what_it_cannot() {
    let old = Settings::read(&[], &BTreeMap::new(), None).expect("is good");
    let path = file("reload", "listen = \"127.0.0.1:9\"\n[log]\nlevel = \"debug\"\n[limits]\nstreams = 3\n");
    let new = Settings::read(&[], &BTreeMap::new(), Some(&path)).expect("is good");
    assert_eq!(old.differences(&new), (vec!["log.level", "limits.streams"], vec!["listen"]));
    for (given, told) in [
        ("limits.stream=3", "did you mean `limits.streams`?"),
        ("limit.streams=3", "did you mean `limits.streams`?"),
        ("streams=3", "did you mean `limits.streams`?"),
        ("lisen=a:1", "did you mean `listen`?"),
        // Nothing of the section is near.
        ("log.file=a", "the keys of `log` are format, level"),
        ("files.password=a", "the keys of `files` are on, hosts, "),
        ("log=a", "`log` is a section; its keys are format, level"),
        ("zzz=a", "the keys and sections are listen, admin_listen, database, first_token, tls, cors, "),
    ] {
        let message = assignment(given).expect_err("is wrong");
        assert!(message.contains(told), "{given}: {message}");
    }
}
