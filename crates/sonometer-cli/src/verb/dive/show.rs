//! A dive as a person reads it: what the world says, what was sensed and why, what is left, how it ended.

use crate::failure::counted;
use crate::paint::bar;
use crate::paint::{Paint, columns, one_line};
use anstyle::Style;
use sonometer::stage::{Card, Dive, Reason, Step, World};
use std::fmt::Write as _;

/// The head: where one is, what is wanted, within which bounds; then the arrival.
pub(super) fn arrival(paint: &Paint, dive: &Dive) -> String {
    let (world, stage) = (dive.world(), dive.world().stage());
    let target = world.target();
    let names = |names: Vec<&str>| names.join(", ");
    let checkpoints = names(stage.checkpoints.iter().map(|(name, _)| name.as_str()).collect());
    let flags = names(stage.flags.iter().map(|(name, _)| name.as_str()).collect());
    let name = one_line(&stage.name);
    let whence = format!(
        "({}@{}, sensed by {} {}@{})",
        stage.id,
        stage.version,
        target.kind.as_str(),
        target.id,
        target.version
    );
    let wide: usize = name.chars().chain(whence.chars()).map(columns).sum();
    let between = if wide < paint.width { " " } else { "\n  " };
    let mut text = format!(
        "{}{between}{}\n\n{}\n",
        paint.bold(&name),
        paint.dim(&whence),
        wrapped(paint, &stage.objective, 2)
    );
    let _ = writeln!(text, "  {} {checkpoints}", paint.dim("reach "));
    if !flags.is_empty() {
        let _ = writeln!(text, "  {} {flags}", paint.dim("avoid "));
    }
    let turns = counted(stage.envelope.max_turns as usize, "turn");
    let _ = writeln!(
        text,
        "  {} {turns}, {} ICS, seed {}",
        paint.dim("within"),
        stage.envelope.ics_budget,
        dive.seed()
    );
    text + "\n" + &speech(paint, &dive.observation().world)
}

/// What a person who is about to type should know.
pub(super) fn hint(paint: &Paint) -> String {
    format!("\n  {}\n", paint.dim("Type what you want to say. `help` lists the commands: status, quit."))
}

/// What is shown where a person is to type.
pub(super) fn prompt(paint: &Paint, dive: &Dive) -> String {
    let most = dive.world().stage().envelope.max_turns;
    format!("\n{} ", paint.bold(&format!("[{}/{most}] >", dive.turn() + 1)))
}

/// An action: what was sensed in it, and what the world answers; with `echo` the action itself.
pub(super) fn step(paint: &Paint, dive: &Dive, step: &Step, echo: bool) -> String {
    let stage = dive.world().stage();
    let measured = step.measured;
    let mut text = String::from("\n");
    if echo {
        // Masked where the protocols say that it is private.
        let last = step.sensed.interaction().turns().len() - 1;
        let said = step.sensed.masked_turn(last);
        let number = paint.bold(&format!("[{}/{}] >", step.observation.turn, stage.envelope.max_turns));
        let said = wrapped(paint, &said, 8);
        let _ = writeln!(text, "{number} {}\n", said.trim());
    }
    let target = if measured.on_target { "on target" } else { "off target" };
    let _ = writeln!(
        text,
        "    {} {:<8} {}",
        bar(paint, measured.score, Style::new()),
        measured.score.to_string(),
        paint.dim(&format!("{target}, fidelity {}, {} ICS", measured.fidelity, measured.ics))
    );
    let fired = step.sensed.resonance().filter(|(_, resonance)| resonance.triggered);
    let fired: Vec<&str> = fired.map(|(name, _)| name).collect();
    let width = fired.iter().map(|name| name.len()).max().unwrap_or(0);
    for name in fired {
        let why: Vec<String> = step
            .sensed
            .evidence()
            .filter(|found| found.metamarker == name)
            .map(|found| format!("“{}”", one_line(&found.source)))
            .collect();
        let mut why: Vec<String> = why;
        why.dedup();
        let why = if why.is_empty() { "only by its bias".to_owned() } else { why.join(", ") };
        let _ = writeln!(text, "    {} {name:<width$}  {}", paint.dim("·"), paint.dim(&why));
    }
    if !step.sensed.fidelity().sufficient {
        let _ = writeln!(text, "    {}", paint.dim("too little content to be scored"));
    }
    for name in &step.checkpoints {
        let _ = writeln!(text, "    {} {name}", paint.bold("✓ checkpoint"));
    }
    for name in &step.flags {
        let _ = writeln!(text, "    {} {name}", paint.bold("✗ flag"));
    }
    text + "\n" + &speech(paint, &step.observation.world)
}

/// How it ended, and why.
pub(super) fn end(paint: &Paint, world: &World, card: &Card) -> String {
    let stage = world.stage();
    let verdict = &card.verdict;
    let why = match verdict.reason {
        Reason::Passed => "the condition for passing holds",
        Reason::FlagTripped => "a flag was tripped",
        Reason::MaxTurns => "all turns are used up",
        Reason::IcsBudget => "all ICS are used up",
        Reason::CheckpointMissing => "the world ended before every condition was met",
        Reason::ClosedEarly => "closed before the world ended",
    };
    let head = if verdict.passed { "PASSED" } else { "FAILED" };
    let code = if verdict.passed { String::new() } else { format!("{}: ", verdict.reason.as_str()) };
    let mut text = format!("\n{} {}\n", paint.bold(head), paint.dim(&format!("{code}{why}")));
    for (name, guard) in &stage.checkpoints {
        let hit = verdict.checkpoints_hit.contains(name);
        let rule = if hit { String::new() } else { paint.dim(&format!("  {guard}")) };
        let _ = writeln!(text, "  {} {name}{rule}", if hit { "✓" } else { "○" });
    }
    for (name, flag) in stage.flags.iter().filter(|(name, _)| verdict.flags_tripped.contains(name)) {
        let _ = writeln!(text, "  ✗ {name}{}", paint.dim(&format!("  {}", flag.when)));
    }
    if !verdict.passed {
        let _ = writeln!(text, "  {}", paint.dim(&format!("passes if {}", stage.pass)));
    }
    let totals = card.totals;
    let _ = writeln!(
        text,
        "  {}, score {}, on target {}, {} ICS",
        counted(totals.turns as usize, "turn"),
        totals.score,
        totals.on_target,
        totals.ics
    );
    text
}

/// What the world says, set off.
fn speech(paint: &Paint, text: &str) -> String {
    wrapped(paint, text, 4)
}

/// Lines of at most the width, so many columns in; line breaks are kept. No last line holds one word alone, where the line before it
/// can spare one.
fn wrapped(paint: &Paint, text: &str, indent: usize) -> String {
    let room = paint.width.saturating_sub(indent).max(20);
    let wide = |word: &str| word.chars().map(columns).sum::<usize>();
    let mut all = String::new();
    for line in text.lines() {
        let mut lines: Vec<Vec<String>> = vec![Vec::new()];
        let mut taken = 0;
        for word in line.split_whitespace().map(one_line) {
            if taken > 0 && taken + 1 + wide(&word) > room {
                lines.push(Vec::new());
                taken = 0;
            }
            taken += wide(&word) + usize::from(taken > 0);
            lines.last_mut().into_iter().for_each(|last| last.push(word.clone()));
        }
        if let [.., before, last] = lines.as_mut_slice()
            && let ([word], 3..) = (last.as_slice(), before.len())
            && before.last().is_some_and(|spare| wide(spare) + 1 + wide(word) <= room)
        {
            last.splice(..0, before.pop());
        }
        for line in lines {
            let indent = if line.is_empty() { 0 } else { indent };
            let _ = writeln!(all, "{}{}", " ".repeat(indent), line.join(" "));
        }
    }
    all
}

/// What can be typed beside actions.
pub(super) fn help(paint: &Paint) -> String {
    let row = |word: &str, what: &str| format!("  {}  {what}\n", paint.bold(&format!("{word:<6}")));
    let head = "Type what you want to say, and end it with Enter: each line is one action.";
    let foot = "To say one of these words, add a full stop: `help.`";
    [
        "\n".to_owned(),
        wrapped(paint, head, 2),
        row("status", "where you are and what is left"),
        row("help", "this"),
        row("quit", "ends the dive now (Ctrl-D does, too)"),
        wrapped(paint, foot, 2),
    ]
    .concat()
}

/// Where somebody is, what was reached, and what is left.
pub(super) fn status(paint: &Paint, dive: &Dive) -> String {
    let stage = dive.world().stage();
    let (verdict, totals) = (dive.verdict(), dive.totals());
    let mut text = format!(
        "\n  turn {} of {}, {} of {} ICS used\n",
        dive.turn() + 1,
        stage.envelope.max_turns,
        totals.ics,
        stage.envelope.ics_budget
    );
    for (name, _) in &stage.checkpoints {
        let sign = if verdict.checkpoints_hit.contains(name) { "✓" } else { "○" };
        let _ = writeln!(text, "  {sign} {name}");
    }
    for name in &verdict.flags_tripped {
        let _ = writeln!(text, "  ✗ {name}");
    }
    text + "\n" + &speech(paint, &dive.observation().world)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_alone_in_the_last_line() {
        let paint = Paint { colour: false, width: 24 };
        assert_eq!(wrapped(&paint, "one two three four five", 2), "  one two three\n  four five\n");
        assert_eq!(wrapped(&paint, "one two three four fives", 2), "  one two three\n  four fives\n");
        assert_eq!(
            wrapped(&paint, "one twothreefourfivesix seven", 2),
            "  one\n  twothreefourfivesix\n  seven\n"
        );
        assert_eq!(wrapped(&paint, "one\n\ntwo", 2), "  one\n\n  two\n");
    }
}
