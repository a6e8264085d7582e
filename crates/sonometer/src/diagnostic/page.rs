//! The page `docs/diagnostics.md`: every code with its meaning, an example, the answer and the example mended.

/// The page, in Markdown.
pub const PAGE: &str = include_str!("../../docs/diagnostics.md");

/// What the page says about one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'p> {
    /// The code, `SM0302`.
    pub code: &'p str,
    /// The mistake in a few words.
    pub title: &'p str,
    /// What it means and why it matters, one paragraph of Markdown.
    pub meaning: &'p str,
    /// A fragment of a protocol with the mistake.
    pub example: Snippet<'p>,
    /// What is said about the example, as a [`Diagnostic`](super::Diagnostic) prints itself.
    pub answer: &'p str,
    /// The example mended.
    pub mended: Snippet<'p>,
}

/// A block of code on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snippet<'p> {
    /// `yaml`, `json`, or `text` where it only hints at what is too large to show.
    pub language: &'p str,
    /// The lines.
    pub text: &'p str,
}

/// Every section, in the order of the codes.
pub fn sections() -> impl Iterator<Item = Section<'static>> {
    PAGE.split("\n### ").skip(1).filter_map(Section::read)
}

/// The section of a code, in upper or lower case.
pub fn section(code: &str) -> Option<Section<'static>> {
    sections().find(|section| section.code.eq_ignore_ascii_case(code.trim()))
}

impl<'p> Section<'p> {
    fn read(text: &'p str) -> Option<Self> {
        let (head, rest) = text.split_once('\n')?;
        let (code, title) = head.split_once(": ")?;
        let (meaning, rest) = rest.split_once("```")?;
        let (example, rest) = Snippet::read(rest)?;
        let (answer, rest) = rest.split_once("```")?;
        let (mended, _) = Snippet::read(rest)?;
        let answer = answer.trim().strip_prefix("> ")?;
        Some(Self { code, title, meaning: meaning.trim(), example, answer, mended })
    }
}

impl<'p> Snippet<'p> {
    /// Reads on after an opening fence.
    fn read(text: &'p str) -> Option<(Self, &'p str)> {
        let (language, rest) = text.split_once('\n')?;
        let (text, rest) = rest.split_once("```")?;
        Some((Self { language, text }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_section_of_the_page() {
        let codes: Vec<&str> = sections().map(|section| section.code).collect();
        assert_eq!(codes.len(), PAGE.matches("\n### ").count());
        assert!(codes.is_sorted(), "the sections stand in the order of their codes");
        let section = section(" sm0302 ").expect("there is such a code");
        assert_eq!(section.code, "SM0302");
        assert_eq!(section.example.language, "yaml");
        assert!(section.example.text.contains("stong: thank you\n"), "{:?}", section.example);
        assert!(section.answer.starts_with("error[SM0302]: "), "{}", section.answer);
        assert!(section.mended.text.contains("strong: thank you\n"), "{:?}", section.mended);
        assert_eq!(super::section("SM9999"), None);
    }
}
