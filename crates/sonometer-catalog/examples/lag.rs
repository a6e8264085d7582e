//! How many characters a guard with `personal-data` holds back: kinds of text, streamed 4 or 5 bytes at a time as a language model gives
//! them. `cargo run --release -p sonometer-catalog --example lag [FILE.jsonl]` reads more texts from a file of interactions, the segments of each as
//! one.
//! A second table shows that a text without any full stop costs the same for each byte, however long it is.

use sonometer::{Interaction, OffsetUnit, Sensor, SessionOptions};
use std::time::Instant;

/// Characters held back after each chunk.
fn lags(sensor: &Sensor, text: &str) -> Vec<usize> {
    let options = SessionOptions { unit: OffsetUnit::Chars, release: true, ..SessionOptions::default() };
    let mut session = sensor.session(options);
    let mut lags = Vec::new();
    let (mut rest, mut whole, mut characters) = (text.as_bytes(), String::new(), 0);
    let mut size = 4;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at(size.min(rest.len()));
        characters += chunk.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        let step = session.push(chunk).expect("is text");
        whole.extend(step.released.into_iter().map(|released| released.text));
        lags.push(characters - step.released_to.offset);
        (rest, size) = (later, 9 - size);
    }
    whole.extend(session.end().expect("ends").released.into_iter().map(|released| released.text));
    let reading = sensor.sense(&Interaction::text(text).expect("is short")).expect("is measured");
    assert_eq!(whole, reading.masked_turn(0), "what passed is what the whole shows");
    lags
}

fn row(sensor: &Sensor, kind: &str, texts: &[String]) {
    let mut all: Vec<usize> = texts.iter().flat_map(|text| lags(sensor, text)).collect();
    all.sort_unstable();
    let at = |share: usize| all.get(all.len() * share / 100).or(all.last()).copied().unwrap_or(0);
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    println!("| {kind} | {} | {characters} | {} | {} | {} |", texts.len(), at(50), at(99), at(100));
}

/// A table of `rows` lines without a full stop.
fn table(rows: usize, private: bool) -> String {
    let names = ["Anke", "Priya", "Ola", "Maren", "Bob", "Ingrid", "Tariq"];
    let cities = ["Berlin", "Oslo", "Pune", "Lisbon", "New York", "Graz"];
    let mut text = String::from("id,name,city,plan,amount,note\n");
    for row in 0..rows {
        let (name, city) = (names[row % names.len()], cities[row % cities.len()]);
        let note = match row % 4 {
            1 if private => format!("{}@example.org", name.to_lowercase()),
            2 if private => "4111 1111 1111 1111".to_owned(),
            3 => "renewed; call back".to_owned(),
            _ => format!("order {row}"),
        };
        text.push_str(&format!("{row},{name},{city},plan {},{}.50,{note}\n", row % 3, 10 * row));
    }
    text
}

fn code() -> Vec<String> {
    vec![
        include_str!("lag.rs").to_owned(),
        include_str!("../src/lib.rs").to_owned(),
        include_str!("../protocols/courtesy@1.5.yaml").to_owned(),
    ]
}

fn chinese() -> Vec<String> {
    let lines = [
        "您好，感谢您的来信，我们已经收到您的申请，工作人员会在三个工作日之内与您联系，请您保持电话畅通，",
        "今天天气很好，我们一起去公园散步，看到很多人在湖边拍照，孩子们在草地上放风筝，",
        "请把文件发到 wang.li@example.com，或者打电话 555-010-2030，谢谢，",
        "这个函数先读取输入，再检查格式，最后返回结果，如果出现错误，就打印一条消息，",
    ];
    (0..4).map(|first| (0..20).map(|at| lines[(first + at) % lines.len()]).collect()).collect()
}

fn answers() -> Vec<String> {
    let parts = [
        "Sure! Here is a short summary of what we discussed: the router restarts at night because its power supply is too weak, and the log shows it.\n\n",
        "1. **Check the cable** between the wall and the box\n2. **Update the firmware** from the settings page\n3. Call support if the light stays red\n\n",
        "Your account is registered to Priya Raman, priya.raman@example.org, and the card on file is 4111 1111 1111 1111, valid until May 2027. ",
        "You wrote that you were born on 3 April 1984 and that you live at 12 Old Mill Road, Apt. 4, Springfield, IL 62704 - is that still right?\n",
        "I can't see the order itself, but the team can, and they usually answer within a day or two, sometimes faster when it is urgent. ",
        "For example, if you pay 25 dollars a month for 12 months, that makes 300 dollars, which is less than the 340 you pay now. ",
        "My web site is at https://help.example.com/router/restart and I posted the steps there as well, with pictures of every screen. ",
    ];
    (0..7).map(|first| (0..10).map(|at| parts[(first * 3 + at) % parts.len()]).collect()).collect()
}

/// The text of the interaction in each line of a file.
fn texts_of(path: &str) -> Vec<String> {
    let lines = std::fs::read_to_string(path).expect("the file can be read");
    let text = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let interaction = line.get("interaction")?;
        let content = |part: &serde_json::Value| Some(part.get("content")?.as_str()?.to_owned());
        match interaction.get("segments") {
            Some(segments) => {
                Some(segments.as_array()?.iter().filter_map(content).collect::<Vec<_>>().join(" "))
            }
            None => content(interaction),
        }
    };
    lines.lines().filter_map(text).take(300).collect()
}

fn main() {
    let entry = sonometer_catalog::find("personal-data", None).expect("it ships");
    let sensor = Sensor::new(entry.protocol().expect("reads").0).expect("compiles");
    println!("personal-data@{}, bound: {:?}\n", entry.version, sensor.guard_bound());
    println!("| text | texts | characters | median | 99 % | most |\n|---|---|---|---|---|---|");
    row(&sensor, "answers of a model", &answers());
    row(&sensor, "code", &code());
    row(&sensor, "tables", &[table(60, false), table(60, true)]);
    row(&sensor, "Chinese with commas", &chinese());
    if let Some(path) = std::env::args().nth(1) {
        row(&sensor, "texts of the file", &texts_of(&path));
    }
    let sizes = if cfg!(debug_assertions) { [64, 128, 256] } else { [256, 512, 1024] };
    println!("\n| one line, KiB | s | ns a byte |\n|---|---|---|");
    for kilobytes in sizes {
        let line = table(kilobytes * 30, true).replace('\n', ",");
        let line = &line[..kilobytes << 10];
        let begun = Instant::now();
        lags(&sensor, line);
        let took = begun.elapsed();
        println!("| {kilobytes} | {:.2} | {} |", took.as_secs_f64(), took.as_nanos() / line.len() as u128);
    }
}
