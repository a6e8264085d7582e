//! What a file can be.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $shown:literal;)*) => {
        /// What a file is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word for programs and options.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What people call it.
            pub fn shown(self) -> &'static str {
                match self { $(Self::$name => $shown,)* }
            }
        }
    };
}

kinds! {
    /// A text, all of it.
    Text = "text", "a plain text";
    /// One interaction in JSON, or an object that holds one under `interaction`.
    Json = "json", "an interaction in JSON";
    /// The same, one in each line.
    Jsonl = "jsonl", "interactions in JSON lines";
    /// Lines such as `agent: Good morning.`
    Turns = "turns", "lines with roles";
    /// Turns with a name and a time: `Ann  0:05`, `[09:14] Ann: Good morning.`
    Timed = "timed", "a transcript with names and times";
    /// Captions as WebVTT.
    Vtt = "vtt", "WebVTT captions";
    /// Captions as SubRip.
    Srt = "srt", "SubRip captions";
    /// A chat that WhatsApp exported.
    WhatsApp = "whatsapp", "a WhatsApp export";
    /// Messages in JSON: of a language model's interface, of Slack, Teams or Telegram.
    Chat = "chat", "messages in JSON";
    /// What a recogniser of speech wrote, without the recording.
    Speech = "speech", "a transcript of a speech recogniser";
    /// PDF.
    Pdf = "pdf", "PDF";
    /// A Word document.
    Docx = "docx", "a Word document";
    /// An OpenDocument text.
    Odt = "odt", "an OpenDocument text";
    /// A web page.
    Html = "html", "HTML";
    /// Markdown.
    Markdown = "markdown", "Markdown";
    /// Rich Text Format.
    Rtf = "rtf", "RTF";
    /// A mail, or a mailbox of several.
    Mail = "mail", "mail";
    /// A workbook: Excel (new or old) or OpenDocument.
    Sheet = "sheet", "a workbook";
    /// Comma-, semicolon- or tab-separated values.
    Csv = "csv", "separated values";
    /// A recording of sound, whatever its container.
    Audio = "audio", "a sound recording";
}

impl Kind {
    /// The kind of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Whether reading it takes large libraries or much memory, so that it belongs into a process apart.
    pub fn is_intricate(self) -> bool {
        !matches!(
            self,
            Self::Text | Self::Json | Self::Jsonl | Self::Turns | Self::Timed | Self::Vtt | Self::Srt
        )
    }
}
