//! Connections: only so many, and none that keeps silent about what it wants.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Who does not say within this time what it wants is sent away.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);

/// Accepts connections for ever.
pub(crate) async fn accept(listener: TcpListener, router: Router, most: usize) {
    let room = Arc::new(Semaphore::new(most));
    loop {
        let place = room.clone().acquire_owned().await.expect("never closed");
        let connection = match listener.accept().await {
            Ok((connection, _)) => connection,
            Err(_) => {
                // Too many files are open, say: others may close some.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let _ = connection.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS_WITHIN);
            // A visitor that goes away is no error of ours.
            let _ = http.serve_connection(TokioIo::new(connection), service).await;
            drop(place);
        });
    }
}
