//! What the service reaches for organizations: hosts that answer, one that says nothing, and a file made to harm.

use axum::Router;
use axum::extract::Request as Asked;
use axum::http::StatusCode as Said;
use hyper::body::Bytes;
use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// Hosts that answer, and a port that takes connections and says nothing.
pub(crate) struct Hosts {
    pub(crate) answers: SocketAddr,
    pub(crate) silent: SocketAddr,
    /// The paths of notifications that came.
    pub(crate) told: Arc<Mutex<BTreeSet<String>>>,
}

impl Hosts {
    pub(crate) async fn start() -> Self {
        let told: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let (kept, bomb) = (told.clone(), Bytes::from(pdf(60 << 20)));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let answers = listener.local_addr().expect("is bound");
        let router = Router::new().fallback(move |asked: Asked| async move {
            let path = asked.uri().path().to_owned();
            match path.as_str() {
                "/small.txt" => (Said::OK, Bytes::from_static(b"Thank you so much, I really appreciate it.")),
                "/bomb.pdf" => (Said::OK, bomb),
                _ => {
                    kept.lock().expect("is sound").insert(path);
                    (Said::OK, Bytes::new())
                }
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let silent = listener.local_addr().expect("is bound");
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
            }
        });
        Self { answers, silent, told }
    }
}

/// A PDF of one page whose content is so many bytes of text once it is unpacked.
fn pdf(unpacked: usize) -> Vec<u8> {
    let line = b"(and so it goes on and on for ever) Tj 0 -1 Td ";
    let content: Vec<u8> = b"BT /F 1 Tf ".iter().chain(line.iter().cycle().take(unpacked)).copied().collect();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a", zip::write::SimpleFileOptions::default()).expect("can be written");
    writer.write_all(&content).expect("can be written");
    let archive = writer.finish().expect("can be written").into_inner();
    // What is packed stands behind the head of the file: 30 bytes and two texts, whose lengths stand in it, as its own does.
    let short = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
    let length = short(18) | short(20) << 16;
    let packed = &archive[30 + short(26) + short(28)..][..length];
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &content {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let stream = [&[0x78, 0x9c][..], packed, &(b << 16 | a).to_be_bytes()].concat();
    let parts: [Vec<u8>; 5] = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
            .to_vec(),
        [
            format!("<</Length {}/Filter/FlateDecode>>stream\n", stream.len()).as_bytes(),
            &stream,
            b"\nendstream",
        ]
        .concat(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    let (mut file, mut places) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (number, part) in parts.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj", number + 1).bytes().chain(part.iter().copied()));
        file.extend(b"endobj\n");
    }
    let start = file.len();
    file.extend(b"xref\n0 6\n0000000000 65535 f \n");
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}
