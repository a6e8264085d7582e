//! How a socket of a client is set up.

use tokio::net::TcpStream;

/// So many bytes wait in the system for a client that is slow. Without a bound they are megabytes, and room for more is reported when a third of
/// them has left: a client that takes 16 kB a second would seem to take nothing for minutes.
#[cfg(any(target_os = "android", target_os = "linux"))]
const UNSENT: u32 = 128 << 10;

/// Sets up the socket of a client; for [`Stalls`](crate::Stalls) to see how it reads. What the system refuses stays as it was.
pub fn prepare(stream: &TcpStream) {
    // Events are small, and must not wait for each other.
    let _ = stream.set_nodelay(true);
    #[cfg(any(target_os = "android", target_os = "linux"))]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn little_waits_for_a_slow_client() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let (connected, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (_client, (stream, _)) = (connected.expect("connects"), accepted.expect("is there"));
        prepare(&stream);
        assert_eq!(socket2::SockRef::from(&stream).tcp_notsent_lowat().expect("is known"), UNSENT);
        assert!(stream.nodelay().expect("is known"));
    }
}
