//! Who may come in, and what a browser may do with what it gets.
//!
//! A page of somebody else must not reach us through a visitor's browser: so names in `Host` other than ours are
//! refused (a foreign name may be made to point here), and so is every `Origin` but our own.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::Server;
use crate::api::Refused;

/// A body must come on at least every so often.
const BODY_WITHIN: Duration = Duration::from_secs(10);

/// Nothing from elsewhere, nothing inline, nobody may frame it.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The name under which a browser keeps the token.
const COOKIE: &str = "perfectplay-token";

/// Puts the guard around all routes.
pub(crate) fn protect(routes: Router<Arc<Server>>, server: &Arc<Server>) -> Router {
    let body = server.options.limits.body;
    routes
        .layer(DefaultBodyLimit::max(body))
        .layer(RequestBodyTimeoutLayer::new(BODY_WITHIN))
        .layer(from_fn_with_state(server.clone(), guard))
        .with_state(server.clone())
}

async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&server, &request) {
        Ok(None) => next.run(request).await,
        Ok(Some(cookie)) => {
            let mut response = next.run(request).await;
            response.headers_mut().append(header::SET_COOKIE, cookie);
            response
        }
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a request may come in; with a cookie to set if it has just shown its token.
fn admit(server: &Server, request: &Request) -> Result<Option<HeaderValue>, Refused> {
    let refuse = |reason: &str| Refused(StatusCode::FORBIDDEN, reason.into());
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    if !is_ours(host, server.address) {
        return Err(refuse("this page is served under its own address only"));
    }
    if let Some(origin) = headers.get(header::ORIGIN)
        && origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://")) != Some(host)
    {
        return Err(refuse("requests from other pages are refused"));
    }
    let Some(token) = &server.options.token else { return Ok(None) };
    if knows(headers, token) {
        return Ok(None);
    }
    let shown = request.uri().query().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("token=")));
    match shown {
        Some(shown) if same(shown, token) => {
            let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
            Ok(HeaderValue::from_str(&cookie).ok())
        }
        _ => Err(Refused(
            StatusCode::UNAUTHORIZED,
            "this page asks for a token: open the address with ?token=… at its end".into(),
        )),
    }
}

/// Whether the request brings the token, as a cookie or as `Authorization: Bearer`.
fn knows(headers: &HeaderMap, token: &str) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or("");
    let cookies = text(header::COOKIE).split(';').filter_map(|cookie| cookie.trim().split_once('='));
    cookies.filter(|(name, _)| *name == COOKIE).any(|(_, value)| same(value, token))
        || text(header::AUTHORIZATION).strip_prefix("Bearer ").is_some_and(|shown| same(shown, token))
}

/// Compares in a time that does not tell where the two differ.
fn same(shown: &str, token: &str) -> bool {
    let (shown, token) = (shown.as_bytes(), token.as_bytes());
    shown.len() == token.len() && shown.iter().zip(token).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Whether a host is this machine by number, or by the one name that nobody else can own.
fn is_ours(host: &str, address: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().unwrap_or(0)),
        _ => (host, 80),
    };
    let number = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let ours = match number {
        Ok(number) if address.ip().is_unspecified() => !number.is_unspecified(),
        Ok(number) => number == address.ip() || number.is_loopback() && address.ip().is_loopback(),
        Err(_) => name == "localhost" && (address.ip().is_loopback() || address.ip().is_unspecified()),
    };
    ours && port == address.port()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_are_refused() {
        let local: SocketAddr = "127.0.0.1:8000".parse().unwrap();
        for host in ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"] {
            assert!(is_ours(host, local), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:80",
            "example.com:8000",
            "127.0.0.1.example.com:8000",
            "10.0.0.1:8000",
            ":8000",
        ] {
            assert!(!is_ours(host, local), "{host}");
        }
        let open: SocketAddr = "0.0.0.0:80".parse().unwrap();
        assert!(is_ours("10.0.0.1", open) && is_ours("10.0.0.1:80", open) && !is_ours("example.com", open));
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same("abc", "abc") && !same("abd", "abc") && !same("ab", "abc") && !same("", "abc"));
    }
}
