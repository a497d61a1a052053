//! The files of the page, which are inside the binary.

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api::Refused;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)))),*]
    };
}

/// Every file of the folder `assets`: its name and what is in it.
const FILES: &[(&str, &[u8])] = files![
    "index.html",
    "style.css",
    "icon.svg",
    "address.js",
    "analyse.js",
    "api.js",
    "app.js",
    "board.js",
    "compare.js",
    "dom.js",
    "forms.js",
    "games.js",
    "play.js",
    "prove.js",
    "train.js",
    "tree.js",
    "values.js",
    "watch.js",
];

/// The file that the path names; every page has the same one.
pub(crate) async fn get(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Refused(StatusCode::METHOD_NOT_ALLOWED, "only GET is allowed here".into()).into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(&(_, bytes)) = FILES.iter().find(|(name, _)| *name == path) else {
        return Refused(StatusCode::NOT_FOUND, "there is no such page".into()).into_response();
    };
    let kind = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn every_file_of_the_folder_is_inside() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets")).unwrap();
        let mut there: Vec<_> = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let mut inside: Vec<_> = FILES.iter().map(|&(name, _)| name).collect();
        there.sort();
        inside.sort();
        assert_eq!(inside, there);
    }
}
