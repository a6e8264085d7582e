//! Accuracy cards: what a protocol was measured on and how well it did, as its authors wrote it in Markdown.

use crate::sheet::Card;

/// What the figures of a card mean, for who reads a report and nothing else.
const FIGURES: &str = "
## What the figures mean

- **Precision**: of what was found, the share that is right. **Recall**: of what is there, the share that was found. **F1** is both in one number: 1 if nothing
  is missed and nothing is found wrongly, 0 if nothing right is found. **Macro-F1** is the mean of the F1 of what has the label and of what has it not.
- **AUC**: how often a text with the label has a higher value than one without it; 0.5 is what guessing gives.
- **[0.69, 0.86]**: the interval of 95 %: with other texts of the same kind, the figure may be anywhere in it.
- Figures are of the texts that the card names, and can be lower on yours. A single find can be wrong: read its evidence before anything is decided by it. To
  measure on talks of your own, let people label some, and run `sonometer evaluate`.
";

impl Card {
    /// A card as it ships: a title (`# Accuracy card: courtesy 2.0`) and the rest. Links lead to files beside it, so their text is kept
    /// alone.
    pub fn of(markdown: &str) -> Self {
        let (first, rest) = markdown.split_once('\n').unwrap_or((markdown, ""));
        let is_kept = |line: &&str| !(line.starts_with("<!--") && line.ends_with("-->"));
        let lines = rest.trim_start().lines().filter(is_kept).map(|line| unlinked(line) + "\n");
        let mut markdown: String = lines.collect();
        if markdown.contains("F1") || markdown.contains("AUC") {
            markdown.push_str(FIGURES);
        }
        Self { title: first.trim_start_matches('#').trim().to_owned(), markdown }
    }
}

/// `[glossary](../glossary.md)` becomes `glossary`.
fn unlinked(line: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(line.len()), line);
    while let Some((before, link)) = rest.split_once('[') {
        match link.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?))) {
            Some((name, (_, after))) if !name.contains(['[', ']']) => {
                text.push_str(before);
                text.push_str(name);
                rest = after;
            }
            _ => {
                text.push_str(before);
                text.push('[');
                rest = link;
            }
        }
    }
    text + rest
}

/// A card as a page shows it; headings are below those of the report.
#[cfg(feature = "cards")]
pub(crate) fn html(markdown: &str) -> String {
    use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
    let lower = |level: HeadingLevel| match level {
        // Cards have sections of the third level before any of the second.
        HeadingLevel::H1 | HeadingLevel::H2 | HeadingLevel::H3 => HeadingLevel::H3,
        _ => HeadingLevel::H4,
    };
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: lower(level), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        event => event,
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page.replace("<table>", "<div class=\"scroll\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>")
}

/// The same where no reader of Markdown is built in.
#[cfg(not(feature = "cards"))]
pub(crate) fn html(markdown: &str) -> String {
    format!("<pre>{}</pre>", crate::html::escape(markdown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_a_title_and_no_links() {
        let card = Card::of(
            "# Accuracy card: x 1.0\n\nSee [the glossary](../g.md) [0.1, 0.2], [b](c).\n<!-- here -->\n## Data\n",
        );
        assert_eq!(card.title, "Accuracy card: x 1.0");
        assert_eq!(card.markdown, "See the glossary [0.1, 0.2], b.\n## Data\n");
    }

    #[test]
    fn a_card_with_figures_says_what_they_mean() {
        let told = |markdown: &str| Card::of(markdown).markdown.contains("## What the figures mean");
        assert!(told("# x\n\n| macro-F1 |\n") && told("# x\n\nAUC 0.8\n") && !told("# x\n\nNo figures.\n"));
    }

    #[cfg(feature = "cards")]
    #[test]
    fn markup_in_a_card_is_text() {
        let page = html("## Data <script>x</script>\n\n| a |\n|---|\n| <b>1 |\n");
        assert!(page.starts_with("<h3>Data &lt;script&gt;"), "{page}");
        assert!(page.contains("&lt;b&gt;1") && page.contains("<table>") && !page.contains("<b>"), "{page}");
    }
}
