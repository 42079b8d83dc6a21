"""Media types of assets, from a table of our own, so that no machine's configuration enters an answer (rules.md 5)."""

from types import MappingProxyType

UNKNOWN = "application/octet-stream"

_BY_EXTENSION = MappingProxyType(
    {
        "bash": "application/x-sh",
        "bib": "text/plain",
        "c": "text/x-c",
        "cfg": "text/plain",
        "cjs": "text/javascript",
        "conf": "text/plain",
        "cpp": "text/x-c++",
        "cs": "text/plain",
        "css": "text/css",
        "csv": "text/csv",
        "diff": "text/x-diff",
        "env": "text/plain",
        "example": "text/plain",
        "gif": "image/gif",
        "go": "text/x-go",
        "gz": "application/gzip",
        "h": "text/x-c",
        "hcl": "text/plain",
        "htm": "text/html",
        "html": "text/html",
        "ico": "image/x-icon",
        "ini": "text/plain",
        "ipynb": "application/x-ipynb+json",
        "java": "text/x-java",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "jsonl": "application/jsonl",
        "jsx": "text/javascript",
        "kt": "text/plain",
        "log": "text/plain",
        "lua": "text/x-lua",
        "markdown": "text/markdown",
        "md": "text/markdown",
        "mdx": "text/markdown",
        "mjs": "text/javascript",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "otf": "font/otf",
        "patch": "text/x-diff",
        "pdf": "application/pdf",
        "png": "image/png",
        "ps1": "text/plain",
        "py": "text/x-python",
        "r": "text/x-r",
        "rb": "text/x-ruby",
        "rs": "text/x-rust",
        "rst": "text/x-rst",
        "sh": "application/x-sh",
        "sql": "application/sql",
        "svg": "image/svg+xml",
        "swift": "text/plain",
        "tar": "application/x-tar",
        "template": "text/plain",
        "tex": "text/x-tex",
        "tf": "text/plain",
        "toml": "application/toml",
        "ts": "text/typescript",
        "tsv": "text/tab-separated-values",
        "tsx": "text/typescript",
        "ttf": "font/ttf",
        "txt": "text/plain",
        "wasm": "application/wasm",
        "wav": "audio/wav",
        "webp": "image/webp",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "xml": "application/xml",
        "xsd": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
        "zsh": "application/x-sh",
    }
)


def media_type_of(asset_name: str) -> str:
    """Return the media type of an asset by the extension of its name, in any case."""
    file_name = asset_name.rpartition("/")[2]
    stem, dot, extension = file_name.rpartition(".")
    if not dot or not stem:
        return UNKNOWN
    return _BY_EXTENSION.get(extension.lower(), UNKNOWN)
