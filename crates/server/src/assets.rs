//! The files of the page, which are inside the binary.

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

use crate::api::Refused;

#[derive(Embed)]
#[folder = "assets/"]
struct Assets;

/// The file that the path names; every page has the same one.
pub(crate) async fn get(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Refused(StatusCode::METHOD_NOT_ALLOWED, "only GET is allowed here".into()).into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(file) = Assets::get(path) else {
        return Refused(StatusCode::NOT_FOUND, "there is no such page".into()).into_response();
    };
    let kind = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], file.data).into_response()
}
