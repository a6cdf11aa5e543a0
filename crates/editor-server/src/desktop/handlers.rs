//! The programs that can open a file, as a menu shows them.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use workspace_fs::ContentHash;

/// Most UTF-16 units of a program's name.
pub const MAX_NAME_UNITS: usize = 256;

/// Most UTF-16 units of a program's id.
pub const MAX_ID_UNITS: usize = 512;

/// Most UTF-16 units of a path that is given to a program.
pub const MAX_PATH_UNITS: usize = 4096;

/// Longest icon, as the characters of a data URL.
pub const MAX_ICON_CHARS: usize = 65_536;

/// How long a list of programs is kept.
pub const CACHE_TIME: Duration = Duration::from_mins(5);

/// How many lists are kept.
pub const CACHE_ENTRIES: usize = 128;

const PNG_URL: &str = "data:image/png;base64,";

/// The system that the server runs on, as far as native actions differ.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Platform {
    /// Linux and everything else.
    Linux,
    /// macOS.
    Darwin,
    /// Windows.
    Win32,
}

impl Platform {
    /// The one that this binary was built for.
    pub const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::Darwin
        } else if cfg!(windows) {
            Self::Win32
        } else {
            Self::Linux
        }
    }

    /// The word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Darwin => "darwin",
            Self::Win32 => "win32",
        }
    }
}

/// A program that can open a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Handler {
    /// Its id, opaque to the editor.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Whether it is what a double click would start.
    pub is_default: bool,
    /// Its icon as a data URL of a PNG picture.
    pub icon: Option<String>,
}

/// Prepares what a system lists for a menu.
///
/// Entries with names or ids that are empty, too long or hold control characters are left out; an icon
/// that is no PNG or too large is dropped, the program stays. Entries with one id become one, the
/// default if any of them is. Defaults come first, then the names in order.
pub fn menu_of(listed: Vec<Handler>) -> Vec<Handler> {
    let mut menu: Vec<Handler> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for mut handler in listed {
        let is_usable =
            is_plain(&handler.id, MAX_ID_UNITS) && is_plain(&handler.name, MAX_NAME_UNITS);
        if !is_usable {
            continue;
        }
        handler.icon = handler.icon.filter(|icon| is_icon(icon));
        let known = by_id.get(&handler.id);
        if let Some(known) = known.and_then(|index| menu.get_mut(*index)) {
            known.is_default |= handler.is_default;
            known.icon = known.icon.take().or(handler.icon);
        } else {
            by_id.insert(handler.id.clone(), menu.len());
            menu.push(handler);
        }
    }
    menu.sort_by_cached_key(|handler| {
        (
            !handler.is_default,
            handler.name.to_lowercase(),
            handler.name.clone(),
        )
    });
    menu
}

/// Whether this is an id that a list can have given.
pub fn is_handler_id(id: &str) -> bool {
    is_plain(id, MAX_ID_UNITS)
}

/// The id that the editor sees for a program of Windows, which does not show where it is installed.
pub fn windows_id(native_id: &str) -> String {
    ContentHash::of(format!("win32\0{native_id}").as_bytes()).to_string()
}

/// Files with the same key are opened by the same programs: the platform, and the extension or, for
/// a name without one, the name.
pub fn cache_key(platform: Platform, path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let tail = match name.rfind('.') {
        Some(dot) if dot > 0 => name.get(dot..).unwrap_or(name),
        _ => name,
    };
    format!("{} {}", platform.as_str(), tail.to_lowercase())
}

fn is_plain(text: &str, max_units: usize) -> bool {
    !text.trim().is_empty()
        && text.encode_utf16().count() <= max_units
        && !text.chars().any(char::is_control)
}

/// The signature of PNG in base64, as far as it is whole characters of that.
fn is_icon(url: &str) -> bool {
    url.len() <= MAX_ICON_CHARS
        && url
            .strip_prefix(PNG_URL)
            .is_some_and(|data| data.starts_with("iVBORw0KGg"))
}

/// The lists of the last minutes.
#[derive(Debug, Default)]
pub struct HandlerCache {
    lists: HashMap<String, (Instant, Vec<Handler>)>,
    /// Keys, the oldest list first.
    order: VecDeque<String>,
}

impl HandlerCache {
    /// The list of this key, if it is not too old at `now`.
    pub fn get(&self, key: &str, now: Instant) -> Option<&[Handler]> {
        let (made, list) = self.lists.get(key)?;
        (now.duration_since(*made) < CACHE_TIME).then_some(list)
    }

    /// Keeps a list, in the place of the oldest if there are too many.
    pub fn insert(&mut self, key: String, list: Vec<Handler>, now: Instant) {
        self.order.retain(|known| *known != key);
        self.order.push_back(key.clone());
        self.lists.insert(key, (now, list));
        while self.order.len() > CACHE_ENTRIES {
            if let Some(oldest) = self.order.pop_front() {
                self.lists.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handler(id: &str, name: &str, is_default: bool) -> Handler {
        Handler {
            id: id.to_owned(),
            name: name.to_owned(),
            is_default,
            icon: None,
        }
    }

    fn check(listed: Vec<Handler>, expect: &[&str]) {
        let menu = menu_of(listed);
        let ids: Vec<&str> = menu.iter().map(|handler| handler.id.as_str()).collect();
        assert_eq!(ids, expect);
    }

    #[test]
    fn defaults_come_first_then_names() {
        let beta = handler("b", "Beta", false);
        check(
            vec![
                beta.clone(),
                handler("a", "Alpha", false),
                handler("z", "Zed", true),
            ],
            &["z", "a", "b"],
        );
        check(
            vec![
                handler("c", "gamma", false),
                beta,
                handler("a", "alpha", false),
            ],
            &["a", "b", "c"],
        );
    }

    #[test]
    fn one_id_is_one_entry_and_bad_entries_are_left_out() {
        let menu = menu_of(vec![
            handler("a", "A", false),
            handler("a", "A again", true),
            handler("", "nameless", false),
            handler("c", "with\ncontrol", false),
            handler(&"x".repeat(513), "long id", false),
            handler("d", &"n".repeat(257), false),
        ]);
        assert_eq!(menu, [handler("a", "A", true)]);
    }

    #[test]
    fn an_icon_that_is_too_large_or_no_png_is_dropped() {
        let with_icon = |icon: String| {
            let handler = Handler {
                icon: Some(icon),
                ..handler("a", "A", false)
            };
            menu_of(vec![handler]).remove(0).icon.is_some()
        };
        assert!(with_icon(format!("{PNG_URL}iVBORw0KGgoAAAA=")));
        assert!(!with_icon(format!(
            "{PNG_URL}iVBORw0KGgo{}",
            "A".repeat(70_000)
        )));
        assert!(!with_icon(format!("{PNG_URL}R0lGODlh")));
        assert!(!with_icon(
            "data:image/svg+xml;base64,iVBORw0KGgo".to_owned()
        ));
    }

    #[test]
    fn files_with_one_extension_share_a_list() {
        let key = |path| cache_key(Platform::Darwin, path);
        assert_eq!(key("/x/A.TXT"), "darwin .txt");
        assert_eq!(key("/y/b.txt"), "darwin .txt");
        assert_eq!(key("/x/Makefile"), "darwin makefile");
        assert_eq!(key("/x/.bashrc"), "darwin .bashrc");
        assert_eq!(key("C:\\x\\a.b.Md"), "darwin .md");
    }

    #[test]
    fn lists_grow_old_and_few() {
        let mut cache = HandlerCache::default();
        let start = Instant::now();
        for n in 0..=CACHE_ENTRIES {
            cache.insert(n.to_string(), Vec::new(), start);
        }
        assert!(cache.get("0", start).is_none());
        assert!(cache.get("1", start).is_some());
        let almost = start + CACHE_TIME.saturating_sub(Duration::from_millis(1));
        assert!(cache.get("1", almost).is_some());
        assert!(cache.get("1", start + CACHE_TIME).is_none());
    }

    #[test]
    fn ids_of_windows_are_hashes() {
        let id = windows_id("X");
        assert_eq!(id.len(), 64);
        assert!(
            id.bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        );
        assert_ne!(id, windows_id("Y"));
    }
}
