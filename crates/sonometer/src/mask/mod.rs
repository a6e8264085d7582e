//! Hiding matched text wherever it would be shown.

mod key;
mod letter;
mod name;

use crate::protocol::Mask;
pub use key::MaskKey;
use letter::Widener;
pub(crate) use letter::{OpenLetter, edge_before};
pub(crate) use name::Names;
use name::Replacement;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// How a match is hidden, and by which marker of which protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By {
    pub(crate) mask: Mask,
    pub(crate) sensor: usize,
    pub(crate) marker: u32,
}

/// A masked stretch of one turn, in bytes of the original; both places begin and end with whole letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Masked {
    pub(crate) turn: u32,
    /// The whole match, of which a mask may show some letters.
    pub(crate) range: Range<usize>,
    /// The part in which letters and digits are hidden.
    hidden: Range<usize>,
    mask: Mask,
    /// What stands for the stretch, if something does.
    replacement: Option<Replacement>,
}

/// Puts masks over places of an interaction, whose turns `content` gives.
pub(crate) struct Masker<F> {
    content: F,
    widener: Widener,
}

impl<'t, F: Fn(u32) -> &'t str> Masker<F> {
    pub(crate) fn new(content: F) -> Self {
        Self { content, widener: Widener::default() }
    }

    /// A mask over a place of one stretch or of several, in different turns: what it shows at the beginning or the end is
    /// counted over all of them, and one name stands for all of them.
    pub(crate) fn put(
        &mut self,
        by: By,
        place: impl DoubleEndedIterator<Item = (u32, Range<usize>)>,
    ) -> Vec<Masked> {
        let mut shown = match by.mask {
            Mask::First(n) | Mask::Last(n) => usize::from(n),
            _ => 0,
        };
        let mut next = |stretch| self.over(by.mask, &mut shown, stretch);
        let mut masks: Vec<Masked> = match by.mask {
            Mask::Last(_) => place.rev().map(&mut next).collect(),
            _ => place.map(&mut next).collect(),
        };
        if by.mask.replaces() {
            let value = if by.mask.names_values() { self.value(&masks) } else { String::new() };
            let replacement = Replacement { marker: (by.sensor as u32, by.marker), value };
            masks.iter_mut().for_each(|mask| mask.replacement = Some(replacement.clone()));
        }
        masks
    }

    /// What a place of several stretches is compared by.
    fn value(&self, stretches: &[Masked]) -> String {
        let texts = stretches.iter().map(|Masked { turn, range, .. }| &(self.content)(*turn)[range.clone()]);
        name::value(&texts.collect::<Vec<_>>().join(" "))
    }

    /// A mask over one stretch, of which `shown` more letters may be shown.
    fn over(&mut self, mask: Mask, shown: &mut usize, (turn, place): (u32, Range<usize>)) -> Masked {
        let content = (self.content)(turn);
        let range = self.widener.widen(turn, content, &place);
        let letters = || letter::starts(&content[range.clone()]);
        let hidden = match mask {
            Mask::First(_) => {
                // Over several stretches what may be shown is used up by the first ones.
                let first = letters().nth(*shown).map_or(range.end, |at| range.start + at);
                *shown -= letters().take(*shown).count();
                first..range.end
            }
            Mask::Last(_) => {
                let count = letters().count();
                let hidden = count.saturating_sub(*shown);
                *shown -= count - hidden;
                let end = letters().nth(hidden).map_or(range.end, |at| range.start + at);
                range.start..if hidden == 0 { range.start } else { end }
            }
            _ => range.clone(),
        };
        Masked { turn, range, hidden, mask, replacement: None }
    }
}

/// Everything that masks hide in an interaction, or in a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cover {
    /// By turn and place; none overlaps another.
    hidden: Vec<Hidden>,
    spans: Vec<(u32, Range<usize>)>,
}

/// A stretch that is shown changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hidden {
    turn: u32,
    range: Range<usize>,
    /// What stands for all of it; without that, each letter and digit is a `*`.
    name: Option<Box<str>>,
}

impl Cover {
    /// The cover that hides nothing.
    pub(crate) const fn nothing() -> Self {
        Self { hidden: Vec::new(), spans: Vec::new() }
    }

    /// What all these masks hide together. Where any of those that overlap replaces, the first of these stands for them all; else a
    /// character is shown only if every mask over it shows it. Values get their `names` in the order of the text; `key` is what a
    /// marker of a protocol is called in readings.
    pub(crate) fn of<'k>(
        mut masks: Vec<Masked>,
        mask_key: Option<&MaskKey>,
        names: &mut Names,
        key: impl Fn(usize, u32) -> &'k str,
    ) -> Self {
        let spans = unite(masks.iter().map(|m| (m.turn, m.range.clone())).collect(), false);
        if masks.iter().all(|mask| mask.replacement.is_none()) {
            return Self { hidden: stars(&masks), spans };
        }
        // What decides is the first of a span: that which begins first, of these the longest, then the first by protocol, marker and
        // value (semantics, Replaced), which is the order of `Replacement`.
        masks.sort_by(|a, b| {
            let place = |m: &Masked| (m.turn, m.range.start, Reverse(m.range.end));
            place(a).cmp(&place(b)).then_with(|| a.replacement.cmp(&b.replacement))
        });
        let mut hidden = Vec::with_capacity(spans.len());
        // Spans are the same masks united, so both lists are walked once.
        let mut rest = masks.as_slice();
        for (turn, span) in &spans {
            let within = rest.partition_point(|m| (m.turn, m.range.start) < (*turn, span.end));
            let (here, later) = rest.split_at(within);
            rest = later;
            let first = here.iter().find_map(|mask| Some((mask.mask, mask.replacement.as_ref()?)));
            match first {
                Some((mask, by)) => {
                    let (sensor, marker) = by.marker;
                    let name = names.show(mask, mask_key, by, key(sensor as usize, marker));
                    hidden.push(Hidden { turn: *turn, range: span.clone(), name: Some(name.into()) });
                }
                None => hidden.extend(stars(here)),
            }
        }
        Self { hidden, spans }
    }

    /// The masked stretches by turn and place, those that overlap as one.
    pub(crate) fn spans(&self) -> &[(u32, Range<usize>)] {
        &self.spans
    }

    /// `content[range]` of a turn with what stands for all that is hidden.
    pub(crate) fn show<'t>(&self, turn: u32, content: &'t str, range: Range<usize>) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed("");
        self.walk(turn, content, range.clone(), |place, by| match by {
            Shown::AsItIs if place == range => shown = Cow::Borrowed(&content[place]),
            Shown::AsItIs => shown.to_mut().push_str(&content[place]),
            Shown::Star => shown.to_mut().push('*'),
            Shown::Name(name) => shown.to_mut().push_str(name),
            Shown::Nothing => {}
        });
        shown
    }

    /// What is shown for each character of a turn: itself, something else, or nothing.
    pub(crate) fn by_character<'t>(&self, turn: u32, content: &'t str) -> Vec<Cow<'t, str>> {
        let mut shown = Vec::with_capacity(content.len());
        self.walk(turn, content, 0..content.len(), |place, by| match by {
            Shown::AsItIs => {
                let start = place.start;
                let characters = content[place].char_indices();
                shown.extend(characters.map(|(at, c)| Cow::Borrowed(&content[start + at..][..c.len_utf8()])));
            }
            Shown::Star => shown.push(Cow::Borrowed("*")),
            Shown::Name(name) => {
                shown.push(Cow::Owned(name.to_owned()));
                let further = content[place].chars().skip(1);
                shown.extend(further.map(|_| Cow::Borrowed("")));
            }
            Shown::Nothing => shown.push(Cow::Borrowed("")),
        });
        shown
    }

    /// Goes through `content[range]` of a turn: long stretches that are shown unchanged or replaced, and single characters.
    fn walk<'s>(
        &'s self,
        turn: u32,
        content: &str,
        range: Range<usize>,
        mut take: impl FnMut(Range<usize>, Shown<'s>),
    ) {
        let first = self.hidden.partition_point(|h| (h.turn, h.range.end) <= (turn, range.start));
        let here = self.hidden[first..].iter().take_while(|h| h.turn == turn && h.range.start < range.end);
        let mut done = range.start;
        for Hidden { range: hidden, name, .. } in here {
            let (start, end) = (hidden.start.max(done), hidden.end.min(range.end));
            if done < start {
                take(done..start, Shown::AsItIs);
            }
            if let Some(name) = name {
                take(start..end, Shown::Name(name));
            } else {
                for (at, c, by) in letter::hide(&content[start..end]) {
                    take(start + at..start + at + c.len_utf8(), by);
                }
            }
            done = end;
        }
        if done < range.end {
            take(done..range.end, Shown::AsItIs);
        }
    }
}

/// What is shown for a stretch of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown<'s> {
    AsItIs,
    Star,
    /// This stands for the whole stretch.
    Name(&'s str),
    Nothing,
}

/// What masks hide letter by letter.
fn stars(masks: &[Masked]) -> Vec<Hidden> {
    let hidden = masks.iter().filter(|m| !m.hidden.is_empty()).map(|m| (m.turn, m.hidden.clone()));
    let hidden = unite(hidden.collect(), true).into_iter();
    hidden.map(|(turn, range)| Hidden { turn, range, name: None }).collect()
}

/// Ranges by turn and place, those that overlap (that touch, too, if `touching`) as one.
fn unite(mut ranges: Vec<(u32, Range<usize>)>, touching: bool) -> Vec<(u32, Range<usize>)> {
    // Equal ranges become one, so their order does not matter.
    ranges.sort_unstable_by_key(|(turn, range)| (*turn, range.start, range.end));
    ranges.dedup_by(|next, last| {
        let unite = next.0 == last.0 && next.1.start < last.1.end + usize::from(touching);
        if unite {
            last.1.end = last.1.end.max(next.1.end);
        }
        unite
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks of markers that are numbered as they stand here, and called `m-0`, `m-1`, `m-2`.
    fn cover(content: &str, places: &[(Range<usize>, Mask)]) -> Cover {
        let mut masker = Masker::new(|_| content);
        let put = |(marker, (place, mask)): (u32, &(Range<usize>, Mask))| {
            let by = By { mask: *mask, sensor: 0, marker };
            masker.put(by, std::iter::once((0, place.clone())))
        };
        let masks: Vec<Masked> = (0..).zip(places).flat_map(put).collect();
        let key = |_, marker: u32| ["m-0", "m-1", "m-2"][marker as usize % 3];
        let secret = MaskKey::new(b"0123456789abcdef").expect("is long enough");
        Cover::of(masks, Some(&secret), &mut Names::default(), key)
    }

    fn shown(content: &str, places: &[(Range<usize>, Mask)], range: Range<usize>) -> String {
        cover(content, places).show(0, content, range).into_owned()
    }

    #[test]
    fn hides_all_but_the_ends() {
        let content = "card 4111 1111 1111 1111.";
        let shown = |mask, range| shown(content, &[(5..24, mask)], range);
        assert_eq!(shown(Mask::Last(4), 0..25), "card **** **** **** 1111.");
        assert_eq!(shown(Mask::First(6), 5..24), "4111 11** **** ****");
        assert_eq!(shown(Mask::All, 0..9), "card ****");
        assert_eq!(shown(Mask::All, 0..4), "card");
        assert_eq!(shown(Mask::All, 7..9), "**");
    }

    #[test]
    fn hides_what_any_mask_hides() {
        let all = [(0..6, Mask::Last(4)), (3..9, Mask::First(1)), (9..12, Mask::First(2))];
        assert_eq!(shown("abcdefghijkl", &all, 0..12), "**cd*****jk*");
        assert_eq!(shown("abc", &[(0..3, Mask::First(8)), (0..2, Mask::Last(8))], 0..3), "abc");
    }

    #[test]
    fn hides_and_shows_whole_letters() {
        let content = "Jose\u{301} Marti\u{301}nez";
        assert_eq!(shown(content, &[(0..4, Mask::All)], 0..17), "**** Marti\u{301}nez");
        assert_eq!(shown(content, &[(12..17, Mask::All)], 0..17), "Jose\u{301} Mart****");
        assert_eq!(shown(content, &[(0..6, Mask::First(4))], 0..6), "Jose\u{301}");
        assert_eq!(shown(content, &[(0..6, Mask::Last(1))], 0..6), "***e\u{301}");
        // What begins or ends within a letter shows all that is shown of it.
        assert_eq!(shown(content, &[(0..6, Mask::All)], 4..7), "* ");
        assert_eq!(shown(content, &[(0..6, Mask::All)], 2..4), "**");
        let characters = cover(content, &[(1..6, Mask::All)]).by_character(0, "Jose\u{301} M");
        assert_eq!(characters, ["J", "*", "*", "*", "", " ", "M"]);
    }

    #[test]
    fn a_name_stands_for_a_whole_stretch() {
        let content = "Ann, ann and Bob";
        let ann = |mask| [(0..3, mask), (5..8, mask)];
        assert_eq!(shown(content, &ann(Mask::Label), 0..16), "<M_0>, <M_1> and Bob");
        assert_eq!(shown(content, &ann(Mask::Numbered), 0..16), "<M_0_1>, <M_1_1> and Bob");
        assert_eq!(shown(content, &ann(Mask::Remove), 0..16), ",  and Bob");
        let keyed = shown(content, &ann(Mask::Keyed), 0..16);
        // printf ann | openssl dgst -sha256 -hmac 0123456789abcdef
        assert_eq!(keyed, "<M_0_fb385915a062>, <M_1_fb385915a062> and Bob");
        // Wherever some of it is shown.
        assert_eq!(shown(content, &ann(Mask::Label), 1..6), "<M_0>, <M_1>");
        assert_eq!(shown(content, &ann(Mask::Label), 3..5), ", ");
        let characters = cover("(Ann)", &[(1..4, Mask::Label)]).by_character(0, "(Ann)");
        assert_eq!(characters, ["(", "<M_0>", "", "", ")"]);
    }

    #[test]
    fn one_name_stands_for_what_overlaps() {
        let content = "abcdefghijkl";
        let shown = |places: &[(Range<usize>, Mask)]| shown(content, places, 0..12);
        assert_eq!(shown(&[(2..6, Mask::Last(4)), (4..8, Mask::Label), (8..9, Mask::All)]), "ab<M_1>*jkl");
        assert_eq!(shown(&[(2..6, Mask::Label), (2..7, Mask::Remove), (6..9, Mask::Label)]), "abjkl");
        assert_eq!(shown(&[(2..6, Mask::Remove), (2..6, Mask::Label)]), "abghijkl");
        assert_eq!(shown(&[(0..3, Mask::All), (2..4, Mask::All), (3..6, Mask::Numbered)]), "<M_2_1>ghijkl");
    }

    /// The work is that of the text, not of its square: each place is looked up, not searched for.
    #[test]
    fn many_masks_are_one_stretch_each() {
        let content = "ab ".repeat(1_000);
        let places: Vec<_> = (0..1_000).map(|at| (3 * at..3 * at + 2, Mask::All)).collect();
        let cover = cover(&content, &places);
        assert_eq!((cover.hidden.len(), cover.spans.len()), (1_000, 1_000));
        assert_eq!(cover.show(0, &content, 0..content.len()), "** ".repeat(1_000));
        assert_eq!(cover.show(0, &content, 1_500..1_503), "** ");
    }
}
